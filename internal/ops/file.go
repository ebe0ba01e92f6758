package ops

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// File is a file of a graph, decrypted where the graph is encrypted.
type File struct {
	Content   []byte
	MediaType string // as Roam has it
	Name      string // may be empty
}

// FileAddress returns the address of a file, taken out of the markup that shows
// it in a block where it is given as such: ![](…), {{[[pdf]]: …}} and the like.
// false where it is no address.
func FileAddress(text string) (string, bool) {
	address := bareAddress(text)
	_, err := ParseWeb(address)
	return address, err == nil
}

// IsData reports whether an address is a data: address, which holds the file itself.
func IsData(address string) bool { return strings.HasPrefix(address, "data:") }

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

const (
	readFileAction = "file.get"
	uploadAction   = "file.upload"
)

// ReadFile reads a file of the graph (LOCAL_API.md 3.4), or what a data: address holds.
func (g Reads) ReadFile(ctx context.Context, address string) (File, error) {
	if IsData(address) {
		file, err := Decode(address, Given{})
		return File{Content: file.Content, MediaType: file.MediaType}, err
	}
	result, err := g.ask(ctx, readFileAction, request{"url": address, "format": "base64"})
	if err != nil {
		return File{}, err
	}
	object := rawjson.Parse(result)
	encoded, ok := object.Text("base64")
	if !ok {
		return File{}, notTheFile(readFileAction, "Roam answered without the file.")
	}
	file := File{}
	file.MediaType, _ = object.Text("mimetype")
	file.Name, _ = object.Text("filename")
	if file.Content, err = base64.StdEncoding.DecodeString(encoded); err != nil {
		return File{}, notTheFile(readFileAction, "Roam answered with what is not base64.")
	}
	return file, nil
}

// TextsWith returns the texts of blocks that a text is in.
func (g Reads) TextsWith(ctx context.Context, part string) ([]string, error) {
	rows, err := g.rows(ctx, `[:find ?s :in $ ?part :where [_ :block/string ?s] [(clojure.string/includes? ?s ?part)]]`, part)
	texts := make([]string, 0, len(rows))
	for _, row := range rows {
		if text, ok := row[0].(string); ok {
			texts = append(texts, text)
		}
	}
	return texts, err
}

func notTheFile(action, message string) *problem.Error {
	return notRetryable(problem.Error{
		Code: localapi.CodeInvalidReply, Message: message, Call: &problem.Call{Action: action},
		Hint: problem.Say("Check with the user that the file opens in Roam."),
	})
}

// FileSource is where a file to upload comes from: exactly one of Path, Address
// and Base64.
type FileSource struct {
	Path    string // whole, on this machine, below one of Options.Folders
	Address string // on the public internet
	Base64  string

	MediaType string // empty: it is found out
	Name      string // empty: that of path or address
}

func (g Creates) fetch(ctx context.Context, from FileSource) (GivenFile, error) {
	given := Given{MediaType: from.MediaType, Name: from.Name}
	switch {
	case from.Path != "":
		return g.operations.options.Folders.Read(from.Path, given)
	case from.Address != "":
		return g.operations.options.FromWeb.Fetch(ctx, from.Address, given)
	}
	return Decode(from.Base64, given)
}

// FileUpload is the upload of a file.
type FileUpload struct{ File GivenFile }

// Request implements Write.
func (u FileUpload) Request() (action string, args []any) {
	r := request{"base64": base64.StdEncoding.EncodeToString(u.File.Content), "mimetype": u.File.MediaType}
	return uploadAction, []any{r.withText("filename", u.File.Name)}
}

// Footprint implements Write.
func (u FileUpload) Footprint() Footprint { return Footprint{} }

// Capture implements Write. Of the file its size and hash are kept.
func (u FileUpload) Capture() Capture {
	return Capture{Class: fact.ClassFile, BestEffort: true, Args: func() []any {
		kept := rawjson.With("base64", textsafe.DescribeFile(u.File.Content)).With("mimetype", u.File.MediaType)
		if u.File.Name != "" {
			kept = kept.With("filename", u.File.Name)
		}
		return []any{kept.JSON()}
	}}
}

// Done implements Write.
func (u FileUpload) Done(reply json.RawMessage) Done {
	address, _ := embedded(reply)
	return Done{File: address}
}

// embedded returns the address of a file in the reply to its upload, and the markup that shows it in a
// block; both are empty where the reply has none.
func embedded(reply json.RawMessage) (address, embed string) {
	if json.Unmarshal(reply, &embed) != nil || bareAddress(embed) == "" {
		return "", ""
	}
	return bareAddress(embed), embed
}

// Uploaded is a file that was uploaded.
type Uploaded struct {
	Address   string
	Embed     string // the markup that shows it in a block
	MediaType string
	Bytes     int
}

// UploadFile uploads a file of up to 32 MiB. A file that holds a token is refused.
func (g Creates) UploadFile(ctx context.Context, from FileSource) (Uploaded, error) {
	file, err := g.fetch(ctx, from)
	if err != nil {
		return Uploaded{}, err
	}
	if textsafe.HoldsToken(file.Content) {
		return Uploaded{}, &problem.Error{
			Code:    CodeNotAllowed,
			Message: "The file holds a token of Roam's Local API or of roam-mcp's HTTP endpoint, so it is not uploaded.",
			Hint:    problem.Say("Tokens belong in no graph. Tell the user."),
		}
	}
	result, err := g.write(ctx, FileUpload{file})
	if err != nil {
		return Uploaded{}, err
	}
	address, embed := embedded(result)
	if address == "" {
		return Uploaded{}, notTheFile(uploadAction, "Roam answered the upload without the file's address.")
	}
	return Uploaded{address, embed, file.MediaType, len(file.Content)}, nil
}

// FileRemoval is the deletion of a file.
type FileRemoval struct{ Address string }

// Request implements Write.
func (r FileRemoval) Request() (action string, args []any) {
	return "file.delete", []any{request{"url": r.Address}}
}

// Footprint implements Write. Blocks that show the file stay as they are.
func (r FileRemoval) Footprint() Footprint { return Footprint{} }

// Capture implements Write.
func (r FileRemoval) Capture() Capture { return Capture{Class: fact.ClassFile} }

// Done implements Write.
func (r FileRemoval) Done(json.RawMessage) Done { return Done{} }

func parseFileRemoval(s sentWrite) (Write, error) { return FileRemoval{s.URL}, nil }

// RemoveFile deletes a file for good. It returns Roam's reply, which does not
// tell whether there was such a file; nil where there is none.
func (g Edits) RemoveFile(ctx context.Context, address string) (json.RawMessage, error) {
	return g.write(ctx, FileRemoval{address})
}

func (r FileRemoval) find(ctx context.Context, look verifier, _ int64) (Applied, string) {
	_, err := look.read(ctx, readFileAction, request{"url": r.Address, "format": "base64"})
	switch {
	case err == nil:
		return No, "The file is still there."
	case problem.CodeOf(err) == localapi.CodeNotFound:
		return Unknown, "There is no such file now; whether there was one is not known."
	}
	return Unknown, cantLook(err)
}
