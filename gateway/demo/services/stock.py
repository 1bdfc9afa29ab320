"""demo.shop.v1.StockService."""

from collections.abc import AsyncIterator

from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo

from gateway.demo import seeds
from gateway.demo.failures import DOMAIN, Context, bad_request, make_refusal, not_found, quota_exhausted
from gateway.demo.services.answering import answering, streaming
from gateway.demo.services.pages import cut_page
from gateway.demo.shop import Shop
from gateway.gen.demo.shop.v1 import stock_pb2 as pb
from gateway.gen.demo.shop.v1.stock_pb2_grpc import StockServiceServicer

MOST_DELIVERIES = 10_000
"""How many deliveries one import takes."""

MOST_PIECES = 1_000_000_000
"""How many pieces of one product there is room for."""


class StockService(StockServiceServicer):
    """Knows the products and counts them."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    @answering
    async def GetProduct(self, request: pb.GetProductRequest, context: Context) -> pb.GetProductResponse:
        return pb.GetProductResponse(product=self._get_product(request.sku))

    @answering
    async def ListProducts(self, request: pb.ListProductsRequest, context: Context) -> pb.ListProductsResponse:
        if request.category_id and request.category_id not in seeds.CATEGORIES:
            raise bad_request({"category_id": f"must be one of {', '.join(seeds.CATEGORIES)}"})
        found = [
            self._shop.products[sku]
            for sku in sorted(self._shop.products)
            if _is_under(self._shop.products[sku].category_id, request.category_id)
            and (self._shop.products[sku].in_stock or not request.in_stock_only)
        ]
        filters = pb.ListProductsRequest(category_id=request.category_id, in_stock_only=request.in_stock_only)
        page = cut_page(found, page_size=request.page_size, page_token=request.page_token, filters=filters)
        return pb.ListProductsResponse(products=page.items, next_page_token=page.next_page_token, total_size=len(found))

    @answering
    async def GetProductPicture(
        self, request: pb.GetProductPictureRequest, context: Context
    ) -> pb.GetProductPictureResponse:
        product = self._get_product(request.sku)
        return pb.GetProductPictureResponse(image=seeds.make_picture(product.sku), content_type="image/png")

    @answering
    async def GetCategoryTree(self, request: pb.GetCategoryTreeRequest, context: Context) -> pb.GetCategoryTreeResponse:
        if request.root_id and request.root_id not in seeds.CATEGORIES:
            raise not_found("category", request.root_id)
        if request.HasField("depth") and request.depth < 0:
            raise bad_request({"depth": f"must be 0 or more, got {request.depth}"})
        depth = request.depth if request.HasField("depth") else len(seeds.CATEGORIES)
        return pb.GetCategoryTreeResponse(root=self._make_category(request.root_id, depth))

    @answering
    async def SetStock(self, request: pb.SetStockRequest, context: Context) -> pb.SetStockResponse:
        product = self._get_product(request.sku)
        if not 0 <= request.in_stock <= MOST_PIECES:
            raise bad_request({"in_stock": f"must be 0 to {MOST_PIECES}, got {request.in_stock}"})
        if request.etag and request.etag != product.etag:
            raise make_refusal(
                Code.ABORTED,
                f"the stock of {product.sku} has changed since: read the product and try again",
                ErrorInfo(reason="ETAG_MISMATCH", domain=DOMAIN, metadata={"etag": product.etag}),
            )
        change = request.in_stock - product.in_stock
        self._shop.move_stock(product.sku, change, pb.StockMovementCause.STOCK_MOVEMENT_CAUSE_COUNT)
        return pb.SetStockResponse(product=product)

    @answering
    async def RequestRestock(self, request: pb.RequestRestockRequest, context: Context) -> pb.RequestRestockResponse:
        product = self._get_product(request.sku)
        if not 1 <= request.quantity <= 1000:
            raise bad_request({"quantity": f"must be 1 to 1000, got {request.quantity}"})
        return pb.RequestRestockResponse(expected_time=self._shop.request_restock(product.sku))

    @streaming
    async def ListStockMovements(
        self, request: pb.ListStockMovementsRequest, context: Context
    ) -> AsyncIterator[pb.ListStockMovementsResponse]:
        product = self._get_product(request.sku)
        since = (request.since.seconds, request.since.nanos)
        for movement in tuple(self._shop.movements[product.sku]):
            if (movement.move_time.seconds, movement.move_time.nanos) >= since:
                yield movement

    @answering
    async def ImportStock(
        self, request_iterator: AsyncIterator[pb.ImportStockRequest], context: Context
    ) -> pb.ImportStockResponse:
        summary = pb.ImportStockResponse()
        position = 0
        async for delivery in request_iterator:
            if position == MOST_DELIVERIES:
                raise quota_exhausted(
                    "import", f"one import takes {MOST_DELIVERIES} deliveries at most", retry_after_seconds=1
                )
            self._import(delivery, position, summary)
            position += 1
        return summary

    def _import(self, delivery: pb.ImportStockRequest, position: int, summary: pb.ImportStockResponse) -> None:
        product = self._shop.products.get(delivery.sku)
        if product is None:
            summary.rejections[position] = f'there is no product "{delivery.sku}"'
        elif not 1 <= delivery.quantity <= MOST_PIECES - product.in_stock:
            summary.rejections[position] = f"the quantity must be 1 or more and have room, got {delivery.quantity}"
        else:
            cause = pb.StockMovementCause.STOCK_MOVEMENT_CAUSE_DELIVERY
            self._shop.move_stock(product.sku, delivery.quantity, cause)
            summary.booked_count += 1
            summary.quantities[product.sku] += delivery.quantity

    def _get_product(self, sku: str) -> pb.Product:
        if not sku:
            raise bad_request({"sku": "must not be empty"})
        return self._shop.get_product(sku)

    def _make_category(self, path: str, depth: int) -> pb.Category:
        children = [child for child in seeds.CATEGORIES if _get_parent(child) == path] if depth else []
        return pb.Category(
            id=path,
            title=seeds.CATEGORIES.get(path, "Everything"),
            children=[self._make_category(child, depth - 1) for child in children],
            product_count=sum(_is_under(product.category_id, path) for product in self._shop.products.values()),
        )


def _get_parent(path: str) -> str:
    return path.rpartition("/")[0]


def _is_under(path: str, root: str) -> bool:
    return not root or path == root or path.startswith(f"{root}/")
