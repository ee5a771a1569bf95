"""The service on the wire: thin translations between protobuf messages and the use cases."""
