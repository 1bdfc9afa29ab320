import pytest

from gateway.contract.kept_json import encode_to_keep


def test_kept_text_is_compact_json():
    assert encode_to_keep({"a": [1, None, "ä"]}) == '{"a":[1,null,"ä"]}'.encode()
    with pytest.raises(TypeError):
        encode_to_keep({"a": {1}})
