package mcpserve

import (
	"context"
	"io"

	"roam-mcp/mcpserve/transport"
)

// ServeStdio serves one client over two streams, one JSON message a line, until
// in ends or ctx does. Calls in flight are then given DrainTimeout, after that
// they are cancelled; their replies are written either way. Errors are those of
// transport.ServeStdio.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return transport.ServeStdio(ctx, s.mcp, in, out, transport.StdioOptions{Log: s.log, Drain: s.drain, Memory: s.options.Memory})
}

// ListenHTTP takes an address for the streamable HTTP endpoint of this server,
// with its log, its DrainTimeout and its Memory. Errors are those of transport.ListenHTTP.
func (s *Server) ListenHTTP(ctx context.Context, options transport.HTTPOptions) (*transport.HTTPServer, error) {
	options.Log, options.Drain, options.Memory = s.log, s.drain, s.options.Memory
	return transport.ListenHTTP(ctx, s.mcp, options)
}
