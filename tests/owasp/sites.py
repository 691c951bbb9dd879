#!/usr/bin/env python3
"""Write benign requests of a site with user content, and attacks on it, for `waf tune`.

    python3 sites.py KIND SEED NUMBER WAF-Payload-Collection DIRECTORY

KIND is blog, forum, api, shop, wiki or desk. DIRECTORY gets NUMBER requests in benign.jsonl, and 1,500 in attacks.jsonl: payloads
of the public repository mgm-sp/WAF-Payload-Collection in the places that the site has. One in 500 benign requests is a scanner's, as
in recorded traffic that nobody has sorted. The same arguments give the same requests.
"""
import base64
import json
import pathlib
import random
import sys
import urllib.parse

AGENTS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
]
WORDS = "summer garden table light paper music travel hotel server update index query union select order group table drop coffee".split()
PROSE = [
    "I don't think that's right; the union of both groups can't select a leader.",
    "Let's order by price & group by size (small = 1, large = 2) - who's in?",
    "We drop the old table from the shop's catalogue; it's \"out of stock\".",
    "Thanks! It's at https://www.example.net/page?id=3&x=1 -- see you.",
    "Select all, then insert the card into the slot; don't update yet...",
    "5 > 3 and 2 < 4, so if (a == b) or (c != d) then it's fine.",
    "He said: 'never; not even for 100%' -- and left.",
]
CODE = [
    "SELECT id, name FROM users WHERE id = 1 OR name LIKE '%a%' ORDER BY id; -- all",
    "cat /etc/hosts | grep localhost; sudo systemctl restart nginx && echo done",
    "<?php echo htmlspecialchars($_GET['name']); include('header.php'); ?>",
    "document.getElementById('x').innerHTML = '<b>' + location.hash + '</b>';",
    "curl -s http://127.0.0.1:8080/status | python3 -m json.tool > /tmp/out.txt",
    "UPDATE items SET price = price * 1.1 WHERE sku IN (SELECT sku FROM old);",
    "import os; os.system('ls -la'); print(open('/etc/passwd').read())",
    "try { eval(code) } catch (e) { console.log(`error: ${e.message}`) }",
]
HTML = [
    '<p style="color:#333">{}</p>',
    '<a href="https://www.example.org/?a=1&b=2" onclick="return true">{}</a>',
    '<img src="/media/{}.png" alt="picture" />',
    '<iframe width="560" src="https://video.example.org/embed/x" allowfullscreen></iframe>',
    "<ul><li>{}</li><li>two</li></ul>",
    '<script async src="https://cdn.example.org/embed.js"></script>',
]


class Site:
    """The requests of one kind of site."""

    def __init__(self, kind, seed):
        self.random = random.Random(f"{kind} {seed}")
        self.kind = kind

    def word(self):
        return self.random.choice(WORDS)

    def prose(self, lines):
        return " ".join(self.random.choice(PROSE) for _ in range(lines))

    def code(self):
        return "\n".join(self.random.sample(CODE, self.random.randrange(1, 4)))

    def html(self):
        parts = [self.random.choice(HTML).format(self.prose(1)) for _ in range(self.random.randrange(2, 7))]
        return "\n".join(parts)

    def markdown(self):
        return f"{self.prose(2)}\n\n```\n{self.code()}\n```\n\n{self.prose(1)}"

    def slug(self):
        return f"{self.word()}-{self.word()}-{self.random.randrange(10**4)}"

    def form(self, method, path, host="www.example.com", **fields):
        return method, host, path, "application/x-www-form-urlencoded", urllib.parse.urlencode(fields)

    def json(self, method, path, value, host="www.example.com"):
        return method, host, path, "application/json", json.dumps(value)

    def get(self, path, host="www.example.com"):
        return "GET", host, path, None, ""

    def page(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.get(f"/assets/{self.word()}-{self.random.getrandbits(32):08x}.js")
        if kind < 0.8:
            return self.get(f"/{self.word()}/{self.slug()}")
        return self.get(f"/search?q={urllib.parse.quote_plus(self.prose(1)[:self.random.randrange(5, 40)])}&page={self.random.randrange(9)}")

    def blog(self, kind):
        if kind < 0.10:
            return self.form("POST", f"/wp-admin/post.php?post={self.random.randrange(999)}", action="editpost", content=self.html(), post_title=self.slug())
        if kind < 0.16:
            return self.json("POST", f"/wp-json/wp/v2/posts/{self.random.randrange(999)}", {"title": self.slug(), "content": self.html()})
        if kind < 0.30:
            return self.form("POST", "/wp-comments-post.php", comment=self.prose(3), author="O'Neil", url="https://www.example.org/")
        if kind < 0.34:
            return self.form("POST", "/wp-admin/customize.php", css="body { content: '\\201C'; } a:hover > b { color: red }", html=self.html())
        return self.page()

    def forum(self, kind):
        if kind < 0.20:
            return self.form("POST", f"/t/{self.slug()}/reply", raw=self.markdown(), draft="1")
        if kind < 0.26:
            return self.form("POST", "/posts/new", title=self.prose(1), raw=self.markdown())
        if kind < 0.30:
            return self.form("POST", f"/messages/{self.random.randrange(10**5)}", text=self.prose(2))
        if kind < 0.36:
            return self.get(f"/search?q={urllib.parse.quote_plus(self.random.choice(CODE)[:50])}")
        return self.page()

    def api(self, kind):
        host = "api.example.com"
        if kind < 0.25:
            filters = [{"field": "price", "op": ">=", "value": 10}, {"field": "name", "op": "like", "value": f"%{self.word()}%"}]
            return self.json("POST", "/v1/search", {"query": {"select": ["id", "name"], "where": filters, "order": "-id"}}, host)
        if kind < 0.40:
            return self.json("PUT", f"/v1/documents/{self.random.getrandbits(64):016x}", {"body": self.markdown(), "format": "md"}, host)
        if kind < 0.50:
            return self.json("POST", "/v1/hooks/build", {"commands": self.code().splitlines(), "env": {"PATH": "/usr/bin:/bin"}}, host)
        if kind < 0.55:
            return self.get(f"/v1/items?filter={urllib.parse.quote('price>=10 and (name eq ' + repr(self.word()) + ')')}&$orderby=id", host)
        if kind < 0.85:
            return self.json("PATCH", f"/v1/items/{self.random.randrange(10**5)}", {"name": self.slug(), "count": 3}, host)
        return self.page()

    def shop(self, kind):
        if kind < 0.08:
            return self.form("POST", f"/admin/products/{self.random.randrange(10**4)}/edit", description=self.html(), sku=self.slug())
        if kind < 0.14:
            return self.form("POST", f"/p/{self.slug()}/review", text=self.prose(3), stars="5")
        if kind < 0.18:
            return self.form("POST", "/admin/templates/mail", template="{% if order %}" + self.html() + "{{ order.total|money }}{% endif %}")
        if kind < 0.40:
            return self.get(f"/catalogue?filter%5Bcolor%5D={self.word()}&sort=price+desc&range=%5B1..9%5D")
        return self.page()

    def wiki(self, kind):
        if kind < 0.22:
            return self.form("POST", f"/index.php?title={self.slug()}&action=submit", wpTextbox1=f"== {self.word()} ==\n{self.code()}\n{self.html()}")
        if kind < 0.30:
            return self.json("POST", "/api/preview", {"source": self.markdown()})
        if kind < 0.40:
            return self.get(f"/diff?old={self.random.randrange(99)}&new={self.random.randrange(99)}&title={urllib.parse.quote_plus(self.prose(1))}")
        return self.page()

    def desk(self, kind):
        host = "desk.example.com"
        if kind < 0.25:
            return self.form("POST", f"/tickets/{self.random.randrange(10**5)}/comments", host, body=f"{self.prose(1)}\n{self.code()}", public="true")
        if kind < 0.35:
            return self.json("POST", "/inbound/mail", {"from": "a@example.org", "html": self.html(), "text": self.prose(2)}, host)
        if kind < 0.42:
            return self.json("POST", "/reports/run", {"sql": self.random.choice([CODE[0], CODE[5]]), "format": "csv"}, host)
        return self.page()

    def benign(self):
        if self.random.random() < 0.002:
            paths = ["/.env", "/../../etc/passwd", "/?a=<script>alert(1)</script>", "/x.php?id=1'+UNION+SELECT+1,2,3--", "/wp-config.php.bak"]
            return self.get(self.random.choice(paths))
        return getattr(self, self.kind)(self.random.random())

    def attack(self, payload):
        """Puts a payload into a place of an ordinary request, or into a query on any path."""
        while True:
            method, host, path, media, body = getattr(self, self.kind)(self.random.random())
            if media == "application/json" and self.random.random() < 0.5:
                value = json.loads(body)
                value[self.random.choice([name for name in value])] = payload
                return method, host, path, media, json.dumps(value)
            if media and media != "application/json" and self.random.random() < 0.5:
                fields = urllib.parse.parse_qsl(body)
                at = self.random.randrange(len(fields))
                fields[at] = (fields[at][0], payload)
                return method, host, path, media, urllib.parse.urlencode(fields)
            if media is None:
                name = self.random.choice(["q", "id", "page", "file", "name"])
                return method, host, f"{path.split('?')[0]}?{name}={urllib.parse.quote(payload, safe='')}", None, ""


def line(name, request, agent):
    method, host, path, media, body = request
    headers = [["Host", host], ["User-Agent", agent], ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"], ["Accept-Language", "en-US,en;q=0.9"]]
    if media:
        headers += [["Content-Type", media], ["Content-Length", str(len(body.encode()))], ["Origin", f"https://{host}"]]
    return json.dumps({"id": name, "method": method, "uri": path, "version": "HTTP/1.1", "headers": headers, "body": base64.b64encode(body.encode()).decode()})


def main():
    kind, seed, number, collection, directory = sys.argv[1:]
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    site = Site(kind, seed)
    benign = [line(f"{kind}-{n}", site.benign(), site.random.choice(AGENTS)) for n in range(int(number))]
    payloads = []
    for folder in ["sqli", "xss", "cmdexe", "traversal"]:
        texts = (pathlib.Path(collection) / "nuclei/payloads" / folder / "true-positives.txt").read_text(errors="replace").splitlines()
        payloads += site.random.sample([text for text in texts if text.strip()], min(400, len(texts)))
    attacks = [line(f"attack-{n}", site.attack(site.random.choice(payloads)), site.random.choice(AGENTS)) for n in range(1500)]
    (directory / "benign.jsonl").write_text("\n".join(benign) + "\n")
    (directory / "attacks.jsonl").write_text("\n".join(attacks) + "\n")


main()
