package sandbox

import (
	"net/http"

	"roam-mcp/localapi"
	"roam-mcp/sandbox/page"
)

// newPage makes the page for browsers.
func (s *Server) newPage() (*page.Handler, error) {
	return page.New(page.Options{
		Key:        s.key,
		CookieName: "roam-sandbox-" + homeID(s.options.Home),
		Graphs:     s.shownGraphs,
		Calls:      s.Calls,
		Desk:       s.desk,
		Switches:   s.switches,
		Now:        s.options.Now,
		Log:        s.options.Log,
		NotFound: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			refuseWith(w, refuse(http.StatusNotFound, localapi.CodeNotFound, "There is no such route."))
		}),
	})
}

func (s *Server) shownGraphs() []page.Graph {
	var shown []page.Graph
	for _, status := range s.graphs.status() {
		if graph, err := s.graphs.find(status.Graph); err == nil {
			shown = append(shown, page.Graph{
				Graph: status.Graph, Open: status.Open, Pages: status.Pages, Blocks: status.Blocks, DB: graph.Data.DB(),
			})
		}
	}
	return shown
}
