locals {
  zone_id = "0123456789abcdef0123456789abcdef"
}

resource "cloudflare_dns_record" "www" {
  zone_id = local.zone_id
  name    = "www.example.com"
  type    = "A"
  content = "192.0.2.30"
  ttl     = 1
  proxied = true
}

resource "cloudflare_zone_setting" "tls" {
  zone_id    = local.zone_id
  setting_id = "min_tls_version"
  value      = "1.2"
}

resource "cloudflare_page_rule" "old" {
  zone_id = local.zone_id
  target  = "example.com/old/*"
  actions = { cache_level = "bypass" }
}
