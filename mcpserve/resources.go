package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
)

const (
	markdownType = "text/markdown"

	// codeNoResource is what the stateful era calls a resource that is not there;
	// since 2026-07-28 that is a wrong parameter.
	codeNoResource = -32002
)

// resource is something of a graph that a person can put into a conversation.
type resource struct {
	path  string // last part of its URI
	title string // before the nickname
	about string
	read  func(ctx context.Context, c *call) (string, error)
}

func resources() []resource {
	return []resource{
		{"guidelines", "Guidelines", "How this Roam graph is to be read and written.", readGuidelines},
		{"today", "Today", "Today's daily note of this Roam graph.", readToday},
	}
}

// uri names a resource of a graph. The nickname stands in the path, where it can
// be any text: a host is folded to lower case on the way.
func (r resource) uri(nickname string) string {
	return "roam://graph/" + url.PathEscape(nickname) + "/" + r.path
}

// offerResources puts the resources of the enabled graphs into the list; mu is
// held. Those that stay are left alone.
func (s *Server) offerResources(v view) {
	wanted := map[string]localapi.Graph{}
	for _, entry := range v.enabled() {
		for _, each := range resources() {
			uri := each.uri(entry.Nickname)
			wanted[uri] = entry.Graph()
			if s.resources[uri] == entry.Graph() {
				continue
			}
			s.mcp.AddResource(&mcp.Resource{
				URI: uri, Name: each.path + " of " + entry.Nickname, Title: each.title + ": " + entry.Nickname,
				Description: each.about, MIMEType: markdownType,
			}, s.resourceHandler(each, entry.Graph()))
		}
	}
	var gone []string
	for uri := range s.resources {
		if _, stays := wanted[uri]; !stays {
			gone = append(gone, uri)
		}
	}
	if len(gone) > 0 {
		s.mcp.RemoveResources(gone...)
	}
	s.resources = wanted
}

// resourceHandler reads a resource from the graph as it is configured then.
func (s *Server) resourceHandler(r resource, graph localapi.Graph) mcp.ResourceHandler {
	return func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		v, err := s.look(ctx)
		if err != nil {
			return nil, s.protocolError(err)
		}
		entry, found := v.findGraph(graph)
		if !found || entry.Disabled || r.uri(entry.Nickname) != request.Params.URI {
			return nil, mcp.ResourceNotFoundError(request.Params.URI)
		}
		text, err := r.read(ctx, s.callOn(entry, v, newProgress(request.Session, request.Params.GetProgressToken())))
		if err != nil {
			return nil, s.protocolError(err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: request.Params.URI, MIMEType: markdownType, Text: text}}}, nil
	}
}

// callOn is a call on a graph that no tool makes.
func (s *Server) callOn(entry configstore.Entry, v view, p *progress) *call {
	return &call{server: s, view: v, progress: p, target: target{entry: entry, label: entry.Nickname}}
}

func readGuidelines(ctx context.Context, c *call) (string, error) {
	told, err := c.brief(ctx)
	if err != nil {
		return "", err
	}
	var text string
	if json.Unmarshal(told.guidelines.text, &text) != nil || strings.TrimSpace(text) == "" {
		return "This graph has no guidelines. The user can write some on the page [[roam/agent guidelines]].", nil
	}
	return cutLines(text, c.server.maxReply, "The tool get_page, with title roam/agent guidelines, reads the rest."), nil
}

func readToday(ctx context.Context, c *call) (string, error) {
	today := day(c.server.now(), 0)
	result, err := c.roam(ctx, "data.ai.getPage", map[string]any{"uid": today})
	if err != nil {
		return "", err
	}
	var markdown string
	if json.Unmarshal(rawjson.Parse(result).Get("markdown"), &markdown) != nil {
		return fmt.Sprintf("There is no daily note for today (%s) yet.", today), nil
	}
	return c.server.cutBlocks(markdown, c.server.maxReply, fmt.Sprintf("The tool get_page, with uid %s, tells how to read the rest.", today)), nil
}

// cutBlocks keeps the blocks from the start that fit into max bytes, and says
// how many do not.
func (s *Server) cutBlocks(markdown string, max int, rest string) string {
	if len(markdown) <= max {
		return markdown
	}
	blocks := s.tags.blocks(markdown)
	note := func(left int) string { return fmt.Sprintf("\n(%d blocks are left out. %s)\n", left, rest) }
	room, kept := max-len(note(len(blocks))), 0
	var text strings.Builder
	for kept < len(blocks) && text.Len()+len(blocks[kept].source) <= room {
		text.WriteString(blocks[kept].source)
		kept++
	}
	return text.String() + note(len(blocks)-kept)
}

// cutLines keeps the lines from the start that fit into max bytes.
func cutLines(text string, max int, rest string) string {
	if len(text) <= max {
		return text
	}
	note := "\n(The rest is left out. " + rest + ")\n"
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if kept.Len()+len(line) > max-len(note) {
			break
		}
		kept.WriteString(line)
	}
	return kept.String() + note
}

// protocolError is a failure where no tool result can carry it.
func (s *Server) protocolError(err error) error {
	f := *failureOf(err)
	f.Hint = s.hint(&f)
	message := f.Message
	if f.Hint != "" {
		message += " " + f.Hint
	}
	code := int64(jsonrpc.CodeInternalError)
	if f.Code == CodeInvalidParams || f.Code == CodeGraphNotConfigured || f.Code == CodeGraphDisabled {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: rawjson.Encode(f)}
}

// missingResources gives the error for a resource that is not there the code
// that it has in the client's era.
func (s *Server) missingResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		read, isRead := request.(*mcp.ReadResourceRequest)
		var coded *jsonrpc.Error
		if isRead && read.ProtocolVersion() < statelessVersion && errors.As(err, &coded) && coded.Code == jsonrpc.CodeInvalidParams && notFoundURI(coded.Data) {
			return nil, &jsonrpc.Error{Code: codeNoResource, Message: coded.Message, Data: coded.Data}
		}
		return result, err
	}
}

// notFoundURI tells the error for a missing resource from other wrong parameters.
func notFoundURI(data json.RawMessage) bool { return rawjson.Parse(data).Get("uri") != nil }
