"""Repeats a region that gateways can read without the body."""

INPUT_SCHEMA = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


def main(region: str):
    return region
