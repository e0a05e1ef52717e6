"""The OpenAPI document at an address is valid."""

import json
import sys
import urllib.request

from openapi_spec_validator import validate

with urllib.request.urlopen(sys.argv[1]) as answer:
    validate(json.load(answer))
