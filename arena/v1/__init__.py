"""Generated from protos/arena/v1 by tools/generate-stubs; never edited."""
