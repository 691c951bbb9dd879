# What Terraform makes in the sandbox: records of several kinds, and rules of three phases.
terraform {
  required_providers {
    cloudflare = { source = "cloudflare/cloudflare" }
  }
}

provider "cloudflare" {}

variable "zone" { type = string }
variable "address" {
  type    = string
  default = "192.0.2.1"
}

resource "cloudflare_dns_record" "www" {
  zone_id = var.zone
  name    = "www.terraform.example"
  type    = "A"
  content = var.address
  proxied = true
  ttl     = 1
}

resource "cloudflare_dns_record" "mx" {
  zone_id  = var.zone
  name     = "terraform.example"
  type     = "MX"
  content  = "mail.terraform.example"
  priority = 10
  ttl      = 3600
}

resource "cloudflare_dns_record" "srv" {
  zone_id = var.zone
  name    = "_sip._tcp.terraform.example"
  type    = "SRV"
  ttl     = 300
  # Cloudflare answers with the priority in both places, and the provider compares both.
  priority = 10
  data     = { priority = 10, weight = 5, port = 5060, target = "sip.terraform.example" }
}

resource "cloudflare_dns_record" "caa" {
  zone_id = var.zone
  name    = "terraform.example"
  type    = "CAA"
  ttl     = 300
  data    = { flags = 0, tag = "issue", value = "letsencrypt.org" }
}

resource "cloudflare_ruleset" "custom" {
  zone_id = var.zone
  name    = "default"
  kind    = "zone"
  phase   = "http_request_firewall_custom"
  rules = [{
    ref         = "bots"
    description = "Block bad agents"
    expression  = "(http.user_agent contains \"BadBot\")"
    action      = "block"
    enabled     = true
  }]
}

resource "cloudflare_ruleset" "rate" {
  zone_id = var.zone
  name    = "default"
  kind    = "zone"
  phase   = "http_ratelimit"
  rules = [{
    ref         = "login"
    description = "Slow down logins"
    expression  = "(http.request.uri.path eq \"/login\")"
    action      = "block"
    enabled     = true
    ratelimit = {
      characteristics     = ["cf.colo.id", "ip.src"]
      period              = 60
      requests_per_period = 5
      mitigation_timeout  = 600
    }
  }]
}

resource "cloudflare_ruleset" "managed" {
  zone_id = var.zone
  name    = "default"
  kind    = "zone"
  phase   = "http_request_firewall_managed"
  rules = [{
    ref               = "owasp"
    description       = "OWASP"
    expression        = "true"
    action            = "execute"
    enabled           = true
    action_parameters = { id = "4814384a9e5d4991b9815dcfc25d2f1f" }
  }]
}
