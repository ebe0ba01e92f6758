package transport

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unique"

	"roam-mcp/internal/textsafe"
)

// randomBytes is the strength of a secret.
const randomBytes = 32

const redacted = "[token redacted]"

// Token is the secret with which clients reach the endpoint. Every way of printing it redacts;
// only Reveal gives it, and comparing tells nothing by its time.
type Token struct{ secret unique.Handle[string] }

var (
	_ fmt.Formatter          = Token{}
	_ fmt.Stringer           = Token{}
	_ slog.LogValuer         = Token{}
	_ encoding.TextMarshaler = Token{}
)

// NewToken makes a secret of 256 random bits.
func NewToken() Token {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never fails
	return Token{unique.Make(textsafe.HTTPTokenPrefix + base64.RawURLEncoding.EncodeToString(random))}
}

// ParseToken accepts a secret that NewToken made; surrounding space is dropped. Its error
// never quotes text.
func ParseToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	random, isOurs := strings.CutPrefix(text, textsafe.HTTPTokenPrefix)
	if decoded, err := base64.RawURLEncoding.DecodeString(random); !isOurs || err != nil || len(decoded) != randomBytes {
		return Token{}, errors.New("that is no token of roam-mcp's HTTP endpoint")
	}
	return Token{unique.Make(text)}, nil
}

// IsZero reports whether there is no secret.
func (t Token) IsZero() bool { return t == Token{} }

// Reveal gives the secret itself.
func (t Token) Reveal() string {
	if t.IsZero() {
		return ""
	}
	return t.secret.Value()
}

// Matches reports whether a client sent this secret, in a time that does not
// depend on what it sent. The zero Token matches nothing.
func (t Token) Matches(sent string) bool {
	want, got := sha256.Sum256([]byte(t.Reveal())), sha256.Sum256([]byte(sent))
	return !t.IsZero() && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// String redacts, as GoString, Format, LogValue and MarshalText do.
func (t Token) String() string { return redacted }

// GoString redacts for %#v.
func (t Token) GoString() string { return redacted }

// Format redacts for every verb of package fmt.
func (t Token) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, redacted) }

// LogValue redacts for log/slog.
func (t Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText redacts for encoding/json and its like.
func (t Token) MarshalText() ([]byte, error) { return []byte(redacted), nil }
