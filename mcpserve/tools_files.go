package mcpserve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/filesource"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/transport/streamablehttp/bearer"
)

const (
	// maxImage is how large an image may be to be shown, in bytes: it counts
	// apart from the reply's text, and clients refuse results above 1 MB.
	maxImage = 700 << 10

	restOfFile = "The file is too large for a reply; the user can open it in Roam."
)

// fileAddress is the parameter url, taken out of the markup of a block where
// that was sent as a whole.
func (c *call) fileAddress() (string, error) {
	address := bareAddress(c.args.text("url"))
	if _, err := filesource.ParseWeb(address); err != nil {
		return "", invalid(c.tool.Name, "url is %s; it takes the address of an uploaded file, which begins with https://.", quote(address))
	}
	return address, nil
}

// bareAddress takes the address out of what shows a file in a block: ![](…),
// {{[[pdf]]: …}} and the like. Anything else stays.
func bareAddress(markup string) string {
	markup = strings.TrimSpace(markup)
	if body, ok := strings.CutPrefix(markup, "!["); ok && strings.HasSuffix(body, ")") {
		if _, address, found := strings.Cut(body, "]("); found {
			return strings.TrimSpace(strings.TrimSuffix(address, ")"))
		}
	}
	if body, ok := strings.CutPrefix(markup, "{{"); ok && strings.HasSuffix(body, "}}") {
		if _, address, found := strings.Cut(strings.TrimSuffix(body, "}}"), ":"); found {
			return strings.TrimSpace(address)
		}
	}
	return markup
}

func getFile(ctx context.Context, c *call) (json.RawMessage, error) {
	address, err := c.fileAddress()
	if err != nil {
		return nil, err
	}
	result, err := c.roam(ctx, "file.get", map[string]any{"url": address, "format": "base64"})
	if err != nil {
		return nil, err
	}
	var file struct {
		Base64    *string `json:"base64"`
		MediaType string  `json:"mimetype"`
		Name      string  `json:"filename"`
	}
	if json.Unmarshal(result, &file) != nil || file.Base64 == nil {
		return nil, noFile("file.get", "Roam answered without the file.")
	}
	content, err := base64.StdEncoding.DecodeString(*file.Base64)
	if err != nil {
		return nil, noFile("file.get", "Roam answered with what is not base64.")
	}
	object := rawjson.With("mimetype", file.MediaType)
	if file.Name != "" {
		object = object.With("filename", file.Name)
	}
	object = object.With("bytes", len(content))
	switch kind := filesource.ImageForModels(content); {
	case kind != "" && len(content) <= maxImage:
		c.images = append(c.images, &mcp.ImageContent{Data: content, MIMEType: kind})
	case kind != "":
		object = object.With("truncated", surface.Truncated{BytesLeft: len(content), Rest: restOfFile})
	case filesource.IsText(content) && utf8.Valid(content):
		object = object.With("text", string(content))
	default:
		object = object.With("base64", *file.Base64)
	}
	return object.JSON(), nil
}

func noFile(action, message string) *failure {
	return (&failure{Code: localapi.CodeInvalidReply, Message: message, Action: action, Hint: "Check with the user that the file opens in Roam."}).retryable(false)
}

func uploadFile(ctx context.Context, c *call) (json.RawMessage, error) {
	file, err := c.fileToUpload(ctx)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"base64": base64.StdEncoding.EncodeToString(file.Content), "mimetype": file.MediaType}
	if file.Name != "" {
		args["filename"] = file.Name
	}
	result, err := c.write(ctx, "file.upload", []any{args}, nil)
	if err != nil {
		return nil, err
	}
	var embed string
	if json.Unmarshal(result, &embed) != nil || bareAddress(embed) == "" {
		return nil, noFile("file.upload", "Roam answered the upload without the file's address.")
	}
	return rawjson.With("url", bareAddress(embed)).
		With("embed", embed).
		With("mimetype", file.MediaType).
		With("bytes", len(file.Content)).JSON(), nil
}

// fileToUpload gets the file from the one place that the caller named.
func (c *call) fileToUpload(ctx context.Context) (filesource.File, error) {
	given := filesource.Given{MediaType: c.args.text("mimetype"), Name: c.args.text("filename")}
	source, err := c.onlyOne("filePath", "url", "base64")
	if err != nil {
		return filesource.File{}, err
	}
	var file filesource.File
	switch text := c.args.text(source); source {
	case "filePath":
		file, err = filesource.ReadLocal(text, given)
	case "url":
		file, err = c.server.web.Fetch(ctx, text, given)
	default:
		file, err = filesource.Decode(text, given)
	}
	if err == nil && holdsToken(file.Content) {
		err = &failure{Code: filesource.CodeNotAllowed, Message: "The file holds a token of Roam's Local API or of roam-mcp's HTTP endpoint, so it is not uploaded.", Hint: "Tokens belong in no graph. Tell the user."}
	}
	return file, err
}

// holdsToken reports whether a file has in it what looks like a whole token.
func holdsToken(content []byte) bool {
	return holdsAfter(content, localapi.TokenPrefix) || holdsAfter(content, bearer.Prefix)
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

func deleteFile(ctx context.Context, c *call) (json.RawMessage, error) {
	address, err := c.fileAddress()
	if err != nil {
		return nil, err
	}
	result, err := c.write(ctx, "file.delete", []any{map[string]any{"url": address}}, func(ctx context.Context, _ int64) (applied, string) {
		return c.lookForFile(ctx, address)
	})
	if err != nil {
		return nil, err
	}
	return success(result, rawjson.With("deleted", true).With("note", "Roam does not tell whether there was such a file.")), nil
}

func (c *call) lookForFile(ctx context.Context, address string) (applied, string) {
	_, err := c.read(ctx, "file.get", map[string]any{"url": address, "format": "base64"})
	switch {
	case err == nil:
		return appliedNo, "The file is still there."
	case failureOf(err).Code == localapi.CodeNotFound:
		return appliedUnknown, "There is no such file now; whether there was one is not known."
	}
	return appliedUnknown, cantLook(err)
}
