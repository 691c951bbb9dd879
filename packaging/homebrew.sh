#!/usr/bin/env bash
# Makes the Homebrew formula of a release from its checksums.
#
#   packaging/homebrew.sh REPOSITORY VERSION <SHA256SUMS >zonewright.rb
#
# REPOSITORY is OWNER/NAME on GitHub, VERSION has no `v`.
set -euo pipefail
repository=$1 version=$2
sums=$(cat)

if [[ ! $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ || ! $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
  echo "write OWNER/NAME and a version such as 1.2.3" >&2
  exit 64
fi

# Prints the lines of an archive in the formula.
archive() {
  local file=zonewright-$1.tar.gz sum
  sum=$(awk -v file="$file" '$2 == file || $2 == "*" file { print $1 }' <<<"$sums")
  if [[ ! $sum =~ ^[0-9a-f]{64}$ ]]; then
    echo "the checksums have no single SHA-256 of $file" >&2
    exit 1
  fi
  printf 'url "https://github.com/%s/releases/download/v%s/%s"\n' "$repository" "$version" "$file"
  printf '      sha256 "%s"\n' "$sum"
}

mac=$(archive aarch64-apple-darwin)
intel=$(archive x86_64-unknown-linux-musl)
arm=$(archive aarch64-unknown-linux-musl)

cat <<FORMULA
class Zonewright < Formula
  desc "Declarative reconciler for Cloudflare zones, DNS records and managed-WAF tuning"
  homepage "https://github.com/$repository"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      $mac
    end
  end

  on_linux do
    on_intel do
      $intel
    end
    on_arm do
      $arm
    end
  end

  def install
    bin.install "zonewright"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/zonewright"
    zsh_completion.install "share/zsh/site-functions/_zonewright"
    fish_completion.install "share/fish/vendor_completions.d/zonewright.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/zonewright --version")
    (testpath/"zone.yaml").write "zones:\n  example.com:\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }\n"
    system bin/"zonewright", "validate", "zone.yaml"
  end
end
FORMULA
