package localapi

import (
	"context"
	"fmt"

	"roam-mcp/internal/lazyregexp"
)

// AnyVersion, as an expected version, takes Roam as it is: none is sent, and Roam checks
// nothing (LOCAL_API.md 1.5).
const AnyVersion = "any"

var versionForm = lazyregexp.New(`^[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?$`)

// CheckVersion returns an error unless a text is AnyVersion or a version such as 1.1.5
// or 0.0.
func CheckVersion(text string) error {
	if text != AnyVersion && !versionForm.MatchString(text) {
		return fmt.Errorf("it takes a version of the Local API such as %s, or %s", APIVersion, AnyVersion)
	}
	return nil
}

// Compatible reports whether a Roam of one version of the Local API takes calls that expect
// another, as far as both can be read (LOCAL_API.md 1.5).
func Compatible(roam, expected string) bool {
	return expected == AnyVersion || compareMajorMinor(roam, expected) == 0
}

type expectedVersion struct{}

// Expecting returns a context whose calls expect this version of the Local API, instead
// of the client's own; empty: ctx itself.
func Expecting(ctx context.Context, version string) context.Context {
	if version == "" {
		return ctx
	}
	return context.WithValue(ctx, expectedVersion{}, version)
}

func (c *Client) expected(ctx context.Context) string {
	if version, ok := ctx.Value(expectedVersion{}).(string); ok {
		return version
	}
	return c.options.ExpectedAPIVersion
}

// sentVersion returns an expected version as it is sent; empty: none is.
func sentVersion(expected string) string {
	if expected == AnyVersion {
		return ""
	}
	return expected
}
