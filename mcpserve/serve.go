package mcpserve

import (
	"context"
	"io"

	"roam-mcp/mcpserve/transport/stdio"
	"roam-mcp/mcpserve/transport/streamablehttp"
)

// ServeStdio serves one client over two streams, one JSON message a line, until
// in ends or ctx does. Calls in flight are then given DrainTimeout, after that
// they are cancelled; their replies are written either way. Errors are those of
// stdio.Serve.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return stdio.Serve(ctx, s.mcp, in, out, stdio.Options{Log: s.log, Drain: s.drain, Memory: s.options.Memory})
}

// ListenHTTP takes an address for the streamable HTTP endpoint of this server,
// with its log, its DrainTimeout and its Memory. Errors are those of streamablehttp.Listen.
func (s *Server) ListenHTTP(ctx context.Context, options streamablehttp.Options) (*streamablehttp.Server, error) {
	options.Log, options.Drain, options.Memory = s.log, s.drain, s.options.Memory
	return streamablehttp.Listen(ctx, s.mcp, options)
}
