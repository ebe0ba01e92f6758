package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

const (
	markdownType = "text/markdown"

	// codeNoResource is what the stateful era calls a resource that is not there;
	// since 2026-07-28 that is a wrong parameter.
	codeNoResource = -32002
)

// uriOf names a resource of a graph. The nickname stands in the path, where it
// can be any text: a host is folded to lower case on the way.
func uriOf(r surface.Resource, nickname string) string {
	return "roam://graph/" + url.PathEscape(nickname) + "/" + r.Path
}

// offerResources puts the resources of the enabled graphs into the list; mu is
// held. Those that stay are left alone.
func (s resourceList) offerResources(v view) {
	wanted := map[string]localapi.Graph{}
	for _, entry := range v.enabled() {
		for _, each := range s.offering.profile.Resources {
			uri := uriOf(each, entry.Nickname)
			wanted[uri] = entry.Graph()
			if s.resources[uri] == entry.Graph() {
				continue
			}
			s.mcp.AddResource(&mcp.Resource{
				URI: uri, Name: each.Path + " of " + entry.Nickname, Title: each.Title + ": " + entry.Nickname,
				Description: each.About, MIMEType: markdownType,
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
func (s resourceList) resourceHandler(r surface.Resource, graph localapi.Graph) mcp.ResourceHandler {
	return func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		v, err := s.look(ctx)
		if err != nil {
			return nil, s.protocolError(err, view{})
		}
		entry, found := v.findGraph(graph)
		if !found || entry.Disabled || uriOf(r, entry.Nickname) != request.Params.URI {
			return nil, mcp.ResourceNotFoundError(request.Params.URI)
		}
		c := s.callOn(entry, v, NewProgress(ctx, request.Session, request.Params.GetProgressToken()))
		text, err := r.Read(ctx, c)
		if err != nil {
			return nil, s.protocolError(err, v)
		}
		text = textsafe.ShortenData(textsafe.Escape(text, textsafe.Markup{Tags: s.offering.profile.Style == surface.Labelled, Previews: previewsIn(ctx, c.Graph(), text)}))
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: request.Params.URI, MIMEType: markdownType, Text: text}}}, nil
	}
}

// missingResource gives the error for a resource that is not there the code that it has in
// the client's era.
func missingResource(read *mcp.ReadResourceRequest, err error) error {
	var coded *jsonrpc.Error
	if errors.As(err, &coded) && read.ProtocolVersion() < statelessVersion && coded.Code == jsonrpc.CodeInvalidParams && namesURI(coded.Data) {
		return &jsonrpc.Error{Code: codeNoResource, Message: coded.Message, Data: coded.Data}
	}
	return err
}

// namesURI reports whether the error is that for a missing resource, rather than
// for another wrong parameter.
func namesURI(data json.RawMessage) bool { return rawjson.Parse(data).Get("uri") != nil }
