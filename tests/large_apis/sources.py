"""The public APIs that are tried: which packages hold them, how they are read, and what cannot be served and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.descriptor_pb2 import FileDescriptorProto

from tests.large_apis.reading import read_generated, read_proto_plus


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One API, or several that come together.

    `package` is read for its services, `imports` for files that it takes for granted. `below` is the folder of one
    generation of the same files, where a package brings several. `versions` are modules, where proto-plus made the
    package. `rpcs` is how many RPCs there are at least: a reading that finds less is broken. `skipped` are services and
    RPCs that cannot be served, with the reason as the gateway tells it.
    """

    package: str
    rpcs: int
    below: str = ""
    imports: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)

    def read(self) -> list[FileDescriptorProto]:
        """The API's files, in no order."""
        if self.versions:
            return read_proto_plus(self.package, self.versions)
        files = read_generated(self.package, below=self.below)
        own = {file.name for file in files}
        for package in self.imports:
            # Services of what is only imported are not what is tried.
            files += [_without_services(file) for file in read_generated(package) if file.name not in own]
        return files


def _without_services(file: FileDescriptorProto) -> FileDescriptorProto:
    del file.service[:]
    return file


SOURCES = (
    Source(package="aetcd", rpcs=41),
    Source(package="authzed", rpcs=41),
    Source(package="clarifai-grpc", rpcs=273),
    Source(package="containerd", rpcs=67),
    Source(package="cosmpy", rpcs=360),
    Source(package="dapr", rpcs=121),
    Source(package="flyteidl", rpcs=92),
    Source(
        package="google-cloud-bigquery-storage",
        rpcs=23,
        versions=(
            "google.cloud.bigquery_storage_v1",
            "google.cloud.bigquery_storage_v1beta2",
            "google.cloud.bigquery_storage_v1alpha",
        ),
    ),
    Source(package="google-cloud-compute", rpcs=1005, versions=("google.cloud.compute_v1",)),
    Source(package="google-cloud-container", rpcs=63),
    Source(package="google-cloud-dataproc", rpcs=50),
    Source(
        package="google-cloud-firestore",
        rpcs=54,
        versions=("google.cloud.firestore_v1", "google.cloud.firestore_admin_v1"),
    ),
    Source(package="google-cloud-pubsub", rpcs=35, versions=("google.pubsub_v1",)),
    Source(
        package="google-cloud-spanner",
        rpcs=73,
        versions=(
            "google.cloud.spanner_v1",
            "google.cloud.spanner_admin_database_v1",
            "google.cloud.spanner_admin_instance_v1",
        ),
    ),
    Source(package="googleapis-common-protos", rpcs=7),
    Source(package="grpc-google-iam-v1", rpcs=3),
    Source(package="kurrentdbclient", rpcs=36),
    Source(package="opentelemetry-proto", rpcs=4),
    Source(package="pymilvus", rpcs=149),
    Source(package="qdrant-client", rpcs=55),
    Source(package="temporalio", rpcs=219),
    Source(
        package="tensorflow-serving-api",
        rpcs=6,
        imports=("tensorflow-protobuf",),
        # The file is part of TensorFlow itself, which is too large to be had for it.
        skipped={
            "tensorflow.serving.ModelService": "needs tensorflow.error.Code, whose file is not among those given "
            "(tensorflow/tsl/protobuf/error_codes.proto is missing): give a descriptor set built with all imports"
        },
    ),
    Source(package="xds-protos", rpcs=210),
    Source(package="yandexcloud", rpcs=2534),
)
