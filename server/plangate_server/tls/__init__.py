"""TLS at the server's side: the files, whether they can be used, and that renewed ones are taken."""

from plangate_server.tls.browsers import BrowserTls
from plangate_server.tls.certificates import Certificates
from plangate_server.tls.reading import BadCertificates, TlsFiles

__all__ = ["BadCertificates", "BrowserTls", "Certificates", "TlsFiles"]
