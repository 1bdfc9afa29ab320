from gateway.telemetry.secrets import Secrets

METADATA = (("authorization", "Bearer s3cret-token"), ("x-key-bin", b"\x00"), ("x-zone", "eu"))


def test_values_and_the_token_of_a_scheme_are_hidden_wherever_they_stand() -> None:
    secrets = Secrets.of_metadata(METADATA)
    assert secrets.hide("no Bearer s3cret-token here, nor (s3cret-token)") == "no *** here, nor (***)"


def test_short_values_and_parts_of_words_are_let_be() -> None:
    assert Secrets.of_metadata(METADATA).hide("eu, xs3cret-token") == "eu, xs3cret-token"
    assert Secrets().hide("anything") == "anything"


def test_bytes_that_hold_a_value_are_known() -> None:
    secrets = Secrets(["s3cret-token"])
    assert (secrets.are_in(b"\x0a\x0cs3cret-token"), secrets.are_in(b"s3cret"), Secrets().are_in(b"x")) == (
        True,
        False,
        False,
    )
