package ops

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"unicode"

	"roam-mcp/internal/problem"
)

// MaxBytes is how large a file may be.
const MaxBytes = 32 << 20

// maxName is how many characters of a name are kept, the last ones.
const maxName = 120

// The codes of this package's errors.
const (
	CodeInvalid     problem.Code = "INVALID_PARAMS"     // it can't be the name of a file
	CodeNotAllowed  problem.Code = "SOURCE_NOT_ALLOWED" // it leads to what an agent must not reach
	CodeTooLarge    problem.Code = "SOURCE_TOO_LARGE"
	CodeUnavailable problem.Code = "SOURCE_UNAVAILABLE" // it could not be read
)

// File is what was got.
type GivenFile struct {
	Content []byte
	// Name is the file's own, without folders; empty where it has none.
	Name string
	// MediaType has no parameters and is never empty.
	MediaType string
}

func tooLarge(max int64) *problem.Error {
	return &problem.Error{Code: CodeTooLarge, Message: fmt.Sprintf("The file is larger than %d MiB, the most that is uploaded.", max>>20)}
}

// Given tells what a caller said of a file besides where it is.
type Given struct {
	MediaType string // empty: found out
	Name      string // empty: that of the source
}

// check refuses a media type that is none.
func (g Given) check() error {
	if g.MediaType == "" {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(g.MediaType); err != nil || !strings.Contains(kind, "/") {
		return &problem.Error{Code: CodeInvalid, Message: "mimetype is no media type; one looks like image/png.", Err: err}
	}
	return nil
}

// file puts together what was given and what was found: name is the source's
// own, kinds are media types, the surest first.
func (g Given) file(content []byte, name string, kinds ...string) GivenFile {
	if g.Name != "" {
		name = g.Name
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '/' || r == '\\' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[len(runes)-maxName:])
	}
	if name == "." || name == ".." {
		name = ""
	}
	if g.MediaType != "" {
		return GivenFile{content, name, mediaType(g.MediaType)}
	}
	return GivenFile{content, name, mediaType(kinds...)}
}

// Decode reads base64 as models write it: with or without padding and line
// breaks, in either alphabet, or as a whole data address.
func Decode(text string, given Given) (GivenFile, error) {
	if err := given.check(); err != nil {
		return GivenFile{}, err
	}
	if rest, isData := strings.CutPrefix(text, "data:"); isData {
		head, body, found := strings.Cut(rest, ",")
		kind, isBase64 := strings.CutSuffix(head, ";base64")
		if !found || !isBase64 {
			return GivenFile{}, notBase64(nil)
		}
		if text = body; given.MediaType == "" {
			given.MediaType = kind
		}
		if err := given.check(); err != nil {
			return GivenFile{}, err
		}
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		}
		return r
	}, text)
	text = strings.TrimRight(text, "=")
	if int64(base64.RawStdEncoding.DecodedLen(len(text))) > MaxBytes {
		return GivenFile{}, tooLarge(MaxBytes)
	}
	content, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(content) == 0 {
		return GivenFile{}, notBase64(err)
	}
	return given.file(content, "", sniffed(content), byName(given.Name), guessed(content)), nil
}

func notBase64(err error) *problem.Error {
	return &problem.Error{Code: CodeInvalid, Message: "base64 is empty or not valid base64.", Hint: problem.Say("Send the file's bytes in base64, or give filePath or url instead."), Err: err}
}
