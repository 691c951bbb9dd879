#!/bin/sh
# Turns the labels of a pull request, one a line, into consents for zonewright, one a line.
#
#   allow-deletes-3       --allow-deletes=3
#   allow-exposes-origin  --allow=exposes-origin
#
# Other labels are passed over. What is printed holds no blanks and no characters that a shell reads; codes that do not exist,
# and two different numbers, are refused by zonewright itself.
set -eu

while IFS= read -r label || [ -n "$label" ]; do
    case $label in
        allow-deletes-*)
            number=${label#allow-deletes-}
            case $number in
                '' | *[!0-9]*) ;;
                *) printf '%s\n' "--allow-deletes=$number" ;;
            esac
            ;;
        allow-*)
            code=${label#allow-}
            case $code in
                '' | -* | *[!a-z-]*) ;;
                *) printf '%s\n' "--allow=$code" ;;
            esac
            ;;
    esac
done
