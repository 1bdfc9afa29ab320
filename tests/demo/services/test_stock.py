from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from gateway.gen.demo.shop.v1 import stock_pb2 as pb
from gateway.gen.demo.shop.v1.stock_pb2_grpc import StockServiceStub

RefusalOf = Callable[[Awaitable[Message]], Awaitable[Status]]


async def test_the_tree_of_categories_counts_what_is_under_each(channel: grpc.aio.Channel) -> None:
    root = (await StockServiceStub(channel).GetCategoryTree(pb.GetCategoryTreeRequest())).root

    def tell(category: pb.Category) -> dict[str, object]:
        return {category.id: [category.product_count, *(tell(child) for child in category.children)]}

    assert tell(root) == {
        "": [
            12,
            {"garden": [3, {"garden/tools": [2]}]},
            {"kitchen": [6, {"kitchen/mugs": [3]}, {"kitchen/pots": [3, {"kitchen/pots/cast-iron": [2]}]}]},
            {"pantry": [3, {"pantry/tea": [2]}]},
        ]
    }


async def test_a_depth_of_zero_gives_the_category_alone(channel: grpc.aio.Channel) -> None:
    request = pb.GetCategoryTreeRequest(root_id="kitchen", depth=0)
    root = (await StockServiceStub(channel).GetCategoryTree(request)).root
    assert root == pb.Category(id="kitchen", title="Kitchen", product_count=6)


async def test_products_of_a_category_in_stock_are_listed(channel: grpc.aio.Channel) -> None:
    request = pb.ListProductsRequest(category_id="kitchen/pots", in_stock_only=True)
    page = await StockServiceStub(channel).ListProducts(request)
    assert [product.sku for product in page.products] == ["pan-steel", "pot-cast-iron"]


async def test_a_picture_is_a_png(channel: grpc.aio.Channel) -> None:
    picture = await StockServiceStub(channel).GetProductPicture(pb.GetProductPictureRequest(sku="mug-blue"))
    assert picture.image.startswith(b"\x89PNG\r\n\x1a\n")
    assert picture.image.endswith(b"IEND\xaeB`\x82")
    assert picture.content_type == "image/png"


async def test_an_old_etag_aborts_a_count(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    stub = StockServiceStub(channel)
    etag = (await stub.GetProduct(pb.GetProductRequest(sku="mug-blue"))).product.etag
    counted = (await stub.SetStock(pb.SetStockRequest(sku="mug-blue", in_stock=130, etag=etag))).product
    assert counted.in_stock == 130
    assert counted.etag != etag
    status = await refusal_of(stub.SetStock(pb.SetStockRequest(sku="mug-blue", in_stock=131, etag=etag)))
    assert status.code == Code.ABORTED


async def test_a_busy_supplier_says_when_to_ask_again(channel: grpc.aio.Channel, refusal_of: RefusalOf) -> None:
    stub = StockServiceStub(channel)
    for sku, taken in (("tea-sencha", 0), ("tea-assam", 3)):
        for _ in range(taken):
            assert (await stub.RequestRestock(pb.RequestRestockRequest(sku=sku, quantity=5))).HasField("expected_time")
        status = await refusal_of(stub.RequestRestock(pb.RequestRestockRequest(sku=sku, quantity=5)))
        assert status.code == Code.RESOURCE_EXHAUSTED
        retry = RetryInfo()
        assert any(detail.Unpack(retry) for detail in status.details)
        assert retry.retry_delay.seconds == 30


async def test_movements_lead_to_the_stock_there_is(channel: grpc.aio.Channel) -> None:
    stub = StockServiceStub(channel)
    request = pb.ListStockMovementsRequest(sku="mug-blue")
    movements = [movement async for movement in stub.ListStockMovements(request)]
    assert sum(movement.change for movement in movements) == movements[-1].in_stock == 140
    later = pb.ListStockMovementsRequest(sku="mug-blue", since=movements[1].move_time)
    assert [movement async for movement in stub.ListStockMovements(later)] == movements[1:]
    never = pb.ListStockMovementsRequest(sku="mug-blue", since=Timestamp(seconds=4_000_000_000))
    assert [movement async for movement in stub.ListStockMovements(never)] == []


async def test_an_import_books_what_it_can_and_names_the_rest(channel: grpc.aio.Channel) -> None:
    async def deliver() -> AsyncIterator[pb.ImportStockRequest]:
        for sku, quantity in (("mug-blue", 5), ("rocket", 1), ("mug-blue", 7), ("mug-white", 0)):
            yield pb.ImportStockRequest(sku=sku, quantity=quantity)

    stub = StockServiceStub(channel)
    summary = await stub.ImportStock(deliver())
    assert summary.booked_count == 2
    assert dict(summary.quantities) == {"mug-blue": 12}
    assert dict(summary.rejections) == {
        1: 'there is no product "rocket"',
        3: "the quantity must be 1 or more and have room, got 0",
    }
    assert (await stub.GetProduct(pb.GetProductRequest(sku="mug-blue"))).product.in_stock == 152
