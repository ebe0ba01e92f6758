package actions

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/url"
	"path"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
)

const (
	// fileHost is the host in the URLs of uploaded files. Names under .invalid never
	// resolve (RFC 2606).
	fileHost = "files.sandbox.invalid"
	// maxFile bounds an upload, in bytes; as base64 it fits into a request.
	maxFile = 32 << 20
	// maxFileName bounds a name, in characters. A longer one keeps its end, which has
	// the extension.
	maxFileName = 120
)

func fileActions() map[string]action {
	return map[string]action{
		"file.get":        {desk.Read, getFile},
		"file.upload":     {desk.Append, on(uploadFile)},
		"util.uploadFile": {desk.Append, on(uploadFile)},
		"file.delete":     {desk.Edit, deleteFile},
	}
}

// uploadFile is file.upload: the text that shows the file in a block.
func uploadFile(c *call, asked struct {
	Base64    *string `json:"base64"`
	MediaType string  `json:"mimetype"`
	Name      string  `json:"filename"`
}) (any, error) {
	if asked.Base64 == nil {
		return nil, c.missing("base64")
	}
	mediaType, _, err := mime.ParseMediaType(asked.MediaType)
	if err != nil {
		return nil, fmt.Errorf("%s: mimetype is required, such as image/png", c.Action)
	}
	content, err := fileContent(*asked.Base64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Action, err)
	}
	id, err := outline.NewUID(rand.Reader)
	if err != nil {
		return nil, err
	}
	file := store.File{MediaType: mediaType, Name: fileName(asked.Name, mediaType), Content: content}
	if err := c.Graph.files.Put(id, file); err != nil {
		return nil, err
	}
	return embed(mediaType, fileURL(c.Graph.ID, id, file.Name)), nil
}

func fileContent(text string) ([]byte, error) {
	if base64.StdEncoding.DecodedLen(len(text)) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("base64 is not valid base64")
	}
	return content, nil
}

// fileName returns a name that can end a URL: without folders, and never empty.
func fileName(name, mediaType string) string {
	name = path.Base("/" + strings.ReplaceAll(Printable(name), `\`, "/"))
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[len(runes)-maxFileName:])
	}
	if name != "/" && name != "." && name != ".." {
		return name
	}
	name = "file"
	if extensions, err := mime.ExtensionsByType(mediaType); err == nil && len(extensions) > 0 {
		name += extensions[0]
	}
	return name
}

// embed returns the text that shows a file in a block (LOCAL_API.md 2.6).
func embed(mediaType, address string) string {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch {
	case kind == "image":
		return "![](" + address + ")"
	case mediaType == "application/pdf":
		return "{{[[pdf]]: " + address + "}}"
	case kind == "audio", kind == "video":
		return "{{[[" + kind + "]]: " + address + "}}"
	}
	return address
}

func fileURL(graph localapi.Graph, id, name string) string {
	address := url.URL{Scheme: "https", Host: fileHost}
	return address.JoinPath(string(graph.Type), graph.Name, id, url.PathEscape(name)).String()
}

// fileNamed decodes the URL of a file and returns its id, which is empty for a URL
// that is not one of this graph's files.
func fileNamed(c *call) (id string, err error) {
	var asked struct {
		URL    string  `json:"url"`
		Format *string `json:"format"`
	}
	if err := c.object(&asked); err != nil {
		return "", err
	}
	if asked.URL == "" {
		return "", c.missing("url")
	}
	if asked.Format != nil && *asked.Format != "base64" {
		return "", fmt.Errorf("%s: format is base64", c.Action)
	}
	address, err := url.Parse(asked.URL)
	if err != nil {
		return "", fmt.Errorf("%s: url is not an address", c.Action)
	}
	parts := strings.Split(address.EscapedPath(), "/")
	if address.Scheme != "https" || address.Host != fileHost || len(parts) != 5 ||
		parts[1] != string(c.Graph.ID.Type) || parts[2] != c.Graph.ID.Name {
		return "", nil
	}
	return parts[3], nil
}

// getFile is file.get. It fetches nothing from the network.
func getFile(c *call) (any, error) {
	id, err := fileNamed(c)
	if err != nil {
		return nil, err
	}
	file, err := c.Graph.files.Get(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the file doesn't exist in this graph", c.Action)
	}
	if err != nil {
		return nil, err
	}
	return struct {
		Base64    string `json:"base64"`
		MediaType string `json:"mimetype"`
		Name      string `json:"filename,omitempty"`
	}{base64.StdEncoding.EncodeToString(file.Content), file.MediaType, file.Name}, nil
}

// deleteFile is file.delete; its result is undefined. That there is no such file is
// no error.
func deleteFile(c *call) (any, error) {
	id, err := fileNamed(c)
	if err != nil {
		return nil, err
	}
	return undefined{}, c.Graph.files.Delete(id)
}
