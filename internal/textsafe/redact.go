package textsafe

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

// What the secrets begin with that this program has to do with, so that one that strays
// can be recognized.
const (
	RoamTokenPrefix = "roam-graph-local-token-" // of Roam's Local API
	HTTPTokenPrefix = "roam-mcp-http-"          // of the server's own HTTP endpoint
)

// Redact takes out whatever looks like a token: Roam's, that of the HTTP
// endpoint, and what follows the word Bearer.
func Redact(s string) string {
	for _, secret := range []struct {
		mark  string
		kept  string // of the mark
		least int    // characters after it that make a token
	}{
		{RoamTokenPrefix, "", 0}, {HTTPTokenPrefix, "", 0},
		{"Bearer ", "Bearer ", 16}, {"bearer ", "bearer ", 16},
	} {
		s = redactAfter(s, secret.mark, secret.kept, secret.least)
	}
	return s
}

func redactAfter(s, mark, kept string, least int) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, mark)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		end := 0
		for end < len(rest) && isTokenByte(rest[end]) {
			end++
		}
		if end < least {
			out.WriteString(mark)
			s = rest
			continue
		}
		out.WriteString(kept + "[token redacted]")
		s = rest[end:]
	}
}

func isTokenByte(b byte) bool {
	return strings.IndexByte("-_.~+/=", b) >= 0 || '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z'
}

// HoldsToken reports whether a file has in it what looks like a whole token.
func HoldsToken(content []byte) bool {
	return holdsAfter(content, RoamTokenPrefix) || holdsAfter(content, HTTPTokenPrefix)
}

func holdsAfter(content []byte, prefix string) bool {
	const least = 16 // characters after the prefix: fewer is a text about tokens
	for {
		_, rest, found := bytes.Cut(content, []byte(prefix))
		if !found {
			return false
		}
		length := bytes.IndexFunc(rest, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if length < 0 && len(rest) >= least || length >= least {
			return true
		}
		content = rest
	}
}

// DescribeFile returns what stands for a file: its size in bytes and its SHA-256.
func DescribeFile(content []byte) string {
	return fmt.Sprintf("%s bytes, SHA-256 %x", humanize.Comma(int64(len(content))), sha256.Sum256(content))
}
