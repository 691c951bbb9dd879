"""The provider with one method replaced.

octodns-cloudflare 1.2.0 names the service inside the data of SRV records (`service`, `proto`, `name`). The service's list of
deprecations says that this is an error since 2024-05-31, and the sandbox answers it with one. Here these three members are
left out; everything else is the provider's own.
"""

from octodns_cloudflare import CloudflareProvider


class SrvByName(CloudflareProvider):
    def _contents_for_SRV(self, record):
        for body in super()._contents_for_SRV(record):
            for member in ("service", "proto", "name"):
                body["data"].pop(member, None)
            yield body
