package localapi

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unique"

	"roam-mcp/internal/textsafe"
)

const (
	// TokenPrefix begins every Local API token.
	TokenPrefix = textsafe.RoamTokenPrefix
	// TokenLength is the length of a token that Roam makes: the prefix and 29
	// characters.
	TokenLength = len(TokenPrefix) + 29

	cloudTokenPrefix = "roam-graph-token-"
	maxTokenLength   = 512
)

// Token is the secret that opens one graph. Every way of printing it redacts;
// only Reveal gives the secret, and only the request header, the body of
// tokens/info and the config writer call it.
//
// The secret is behind a handle because fmt calls no methods on the unexported
// fields of a struct that somebody prints: what it shows there is a pointer.
// Tokens compare with ==.
type Token struct{ secret unique.Handle[string] }

var (
	_ fmt.Formatter          = Token{}
	_ fmt.Stringer           = Token{}
	_ fmt.GoStringer         = Token{}
	_ slog.LogValuer         = Token{}
	_ encoding.TextMarshaler = Token{}
)

// ParseToken accepts a token as a file or Roam gives it: surrounding space is
// dropped, the prefix and the characters are checked. Its errors never quote s.
func ParseToken(s string) (Token, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return Token{}, errors.New("the token is empty")
	case strings.HasPrefix(s, cloudTokenPrefix):
		return Token{}, errors.New("this is a token for Roam's cloud API; the Local API needs one that starts with " + TokenPrefix)
	case !strings.HasPrefix(s, TokenPrefix):
		return Token{}, errors.New("a Local API token starts with " + TokenPrefix)
	case len(s) == len(TokenPrefix):
		return Token{}, errors.New("the token ends after its prefix")
	case len(s) > maxTokenLength:
		return Token{}, fmt.Errorf("the token is longer than %d characters", maxTokenLength)
	}
	for _, r := range s {
		if r <= ' ' || r > '~' || r == '"' || r == '\\' {
			return Token{}, errors.New("the token holds a character that no token has")
		}
	}
	return Token{secret: unique.Make(s)}, nil
}

// ParsePastedToken is ParseToken for what a person typed or pasted: it also
// checks the length, since a copied token is easily cut.
func ParsePastedToken(s string) (Token, error) {
	t, err := ParseToken(s)
	if err != nil {
		return Token{}, err
	}
	if n := len(t.Reveal()); n != TokenLength {
		return Token{}, fmt.Errorf("a token has %d characters, this one has %d: it may have been cut when it was copied", TokenLength, n)
	}
	return t, nil
}

// Reveal gives the secret itself.
func (t Token) Reveal() string {
	if t.IsZero() {
		return ""
	}
	return t.secret.Value()
}

// IsZero reports whether there is no token.
func (t Token) IsZero() bool { return t == Token{} }

// Hint shows at most the last four characters, "…p0k7", so that a person can
// tell two tokens apart.
func (t Token) Hint() string {
	secret := t.Reveal()
	if len(secret) < TokenLength {
		return "…"
	}
	return "…" + secret[len(secret)-4:]
}

const redacted = "[token redacted]"

// String, GoString, Format, LogValue and MarshalText all redact.
func (t Token) String() string { return redacted }

// GoString redacts for %#v.
func (t Token) GoString() string { return redacted }

// Format redacts for every verb of package fmt.
func (t Token) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, redacted) }

// LogValue redacts for log/slog.
func (t Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText redacts for encoding/json and its like.
func (t Token) MarshalText() ([]byte, error) { return []byte(redacted), nil }
