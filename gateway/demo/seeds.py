"""What the shop starts with: the same customers, products and orders on every start.

Nothing here is random; whatever varies from one item to the next follows from its position.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import BoolValue

from gateway.gen.demo.shop.v1.customers_pb2 import Customer, CustomerTier, PostalAddress
from gateway.gen.demo.shop.v1.money_pb2 import Money
from gateway.gen.demo.shop.v1.orders_pb2 import GeoPoint, Order, OrderLine, OrderState
from gateway.gen.demo.shop.v1.stock_pb2 import Product

OPENING = 1_767_600_000
"""When the shop opened, in seconds since 1970: 2026-01-05T08:00:00Z. Everything seeded happened after it."""

CURRENCY = "EUR"
DAY = 86_400

CATEGORIES: Mapping[str, str] = MappingProxyType(
    {
        "garden": "Garden",
        "garden/tools": "Garden tools",
        "kitchen": "Kitchen",
        "kitchen/mugs": "Mugs",
        "kitchen/pots": "Pots and pans",
        "kitchen/pots/cast-iron": "Cast iron",
        "pantry": "Pantry",
        "pantry/tea": "Tea",
    }
)
"""Titles of the categories by their path."""

PICKUP_POINTS = ("pp-1", "pp-2", "pp-3", "pp-4", "pp-5")

NAMES = (
    "Ada Lindqvist", "Bruno Keller", "Chiara Rossi", "Dmitri Volkov", "Elif Demir", "Farah Haddad", "Goran Petrović",
    "Hana Sato", "Idris Okafor", "Jana Nováková", "Kofi Mensah", "Lucía Ortega", "Mehmet Kaya", "Nora Berg",
    "Oscar Nilsson", "Priya Nair", "Quentin Moreau", "Rosa Almeida", "Søren Holm", "Tomás Silva", "Una Byrne",
    "Viktor Horváth", "Wanda Kowalska", "Ximena Rojas", "Yusuf Rahman",
)  # fmt: skip

CITIES = (
    ("Lindenstraße 4", "Berlin", "10969", "DE"),
    ("12 rue des Lilas", "Lyon", "69003", "FR"),
    ("Via Roma 31", "Torino", "10123", "IT"),
    ("Storgatan 8", "Malmö", "21142", "SE"),
    ("Calle Mayor 15", "Madrid", "28013", "ES"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRow:
    """One product of the seed: prices in cents, weight in kilograms, stock in pieces."""

    sku: str
    title: str
    category: str
    cents: int
    stock: int
    weight_kg: float
    restock_days: int


def _row(
    sku: str, title: str, category: str, cents: int, stock: int, weight_kg: float, restock_days: int
) -> ProductRow:
    return ProductRow(
        sku=sku,
        title=title,
        category=category,
        cents=cents,
        stock=stock,
        weight_kg=weight_kg,
        restock_days=restock_days,
    )


PRODUCTS: Sequence[ProductRow] = (
    _row("mug-blue", "Blue mug", "kitchen/mugs", 1250, 140, 0.35, 5),
    _row("mug-white", "White mug", "kitchen/mugs", 1100, 85, 0.35, 5),
    _row("mug-travel", "Travel mug with a lid", "kitchen/mugs", 2490, 3, 0.42, 9),
    _row("pan-steel", "Steel pan, 24 cm", "kitchen/pots", 4900, 32, 1.2, 7),
    _row("pot-cast-iron", "Cast iron pot, 5 l", "kitchen/pots/cast-iron", 12900, 12, 5.6, 21),
    _row("skillet-cast-iron", "Cast iron skillet", "kitchen/pots/cast-iron", 6400, 0, 2.8, 21),
    _row("spade-ash", "Spade with an ash handle", "garden/tools", 3995, 18, 2.1, 12),
    _row("shears-hedge", "Hedge shears", "garden/tools", 2850, 27, 0.9, 12),
    _row("can-watering", "Watering can, 9 l", "garden", 1990, 44, 0.8, 6),
    _row("tea-assam", "Assam tea, 250 g", "pantry/tea", 890, 210, 0.25, 14),
    _row("tea-sencha", "Sencha tea, 100 g", "pantry/tea", 1120, 7, 0.1, 30),
    _row("honey-linden", "Linden honey, 500 g", "pantry", 950, 96, 0.5, 4),
)

TIERS = (
    CustomerTier.CUSTOMER_TIER_STANDARD,
    CustomerTier.CUSTOMER_TIER_SILVER,
    CustomerTier.CUSTOMER_TIER_GOLD,
)
"""The tiers of the seeded customers, in turn."""

STATES = (
    OrderState.ORDER_STATE_PLACED,
    OrderState.ORDER_STATE_PACKED,
    OrderState.ORDER_STATE_SHIPPED,
    OrderState.ORDER_STATE_DELIVERED,
    OrderState.ORDER_STATE_CANCELLED,
)
"""The states of the seeded orders, in turn; o-1001 is placed, o-1004 delivered, o-1005 cancelled."""

ROUTE = (GeoPoint(latitude=52.5034, longitude=13.4197), GeoPoint(latitude=52.5200, longitude=13.4050))
"""Where the courier is seen on the way."""


def make_products() -> Iterator[Product]:
    """The products, without their etags."""
    for row in PRODUCTS:
        yield Product(
            sku=row.sku,
            title=row.title,
            category_id=row.category,
            price=Money(currency_code=CURRENCY, minor_units=row.cents),
            in_stock=row.stock,
            weight_kg=row.weight_kg,
            restock_time=Duration(seconds=row.restock_days * DAY),
        )


def make_customers() -> Iterator[Customer]:
    """The customers c-1 to c-25."""
    for number, name in enumerate(NAMES, start=1):
        street, city, postal_code, country = CITIES[number % len(CITIES)]
        customer = Customer(
            id=f"c-{number}",
            display_name=name,
            email=f"customer{number}@shop.example",
            tier=TIERS[number % len(TIERS)],
            addresses={
                "home": PostalAddress(lines=[street], city=city, postal_code=postal_code, country_code=country),
            },
            create_time=Timestamp(seconds=OPENING + number * DAY),
        )
        if number % 2:
            customer.phone = f"+49 30 5550{number:03}"
            customer.newsletter.CopyFrom(BoolValue(value=number % 4 == 1))
        if number % 5 == 0:
            customer.preferences.update({"language": "en", "channels": ["email", "phone"], "gifts": {"wrap": True}})
        yield customer


def make_orders() -> Iterator[Order]:
    """The orders o-1001 to o-1040, one every six hours; o-1001 has three lines."""
    for position in range(40):
        number = position + 1
        lines = [
            OrderLine(
                sku=row.sku,
                quantity=1 + (position + step) % 4,
                unit_price=Money(currency_code=CURRENCY, minor_units=row.cents),
            )
            for step in range(3 - position % 3)
            for row in [PRODUCTS[(position * 5 + step * 2) % len(PRODUCTS)]]
        ]
        total = sum(line.quantity * line.unit_price.minor_units for line in lines)
        order = Order(
            id=f"o-{1000 + number}",
            customer_id=f"c-{1 + position % len(NAMES)}",
            state=STATES[position % len(STATES)],
            lines=lines,
            total=Money(currency_code=CURRENCY, minor_units=total),
            labels={"project": "kitchen"} if position % 3 == 0 else {},
            create_time=Timestamp(seconds=OPENING + 60 * DAY + position * DAY // 4),
        )
        if position % 4 == 3:
            order.pickup_point_id = PICKUP_POINTS[position % len(PICKUP_POINTS)]
        else:
            street, city, postal_code, country = CITIES[position % len(CITIES)]
            order.address.CopyFrom(
                PostalAddress(lines=[street], city=city, postal_code=postal_code, country_code=country)
            )
        if position % 6 == 0:
            order.gift_note = "Enjoy!"
        yield order


def make_picture(sku: str) -> bytes:
    """A PNG of 8 by 8 pixels in the product's own colour (https://www.w3.org/TR/png-3/)."""
    red, green, blue = zlib.crc32(sku.encode()).to_bytes(4, "big")[:3]
    row = b"\0" + bytes((red, green, blue)) * 8
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(row * 8)), (b"IEND", b"")
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body
