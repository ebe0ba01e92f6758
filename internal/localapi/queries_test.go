package localapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/hello"
)

func TestQueriesThatTakeLong(t *testing.T) {
	for name, test := range map[string]struct {
		action, text string
		took         time.Duration
		want         problem.Code
	}{
		"a query that threw at once is wrong":                {"q", "Cannot parse", time.Second, CodeInternal},
		"one that threw after 15 s has timed out":            {"q", "Java heap", longQuery, CodeQueryTimeout},
		"so it is whatever the text has found":               {"data.async.q", "page not found", 20 * time.Second, CodeQueryTimeout},
		"of pulls too":                                       {"data.pull_many", "interrupted", 20 * time.Second, CodeQueryTimeout},
		"a window that was closed is closed":                 {"q", "Promise error", 20 * time.Second, CodeWindowClosed},
		"a write that threw has not timed out":               {"data.block.create", "it broke", 20 * time.Second, CodeInternal},
		"a query whose text says so has timed out at once":   {"q", "took too long to run", time.Second, CodeQueryTimeout},
		"a query of Roam's own that took long has timed out": {"data.ai.roamQuery", "it broke", 20 * time.Second, CodeQueryTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
			roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, _ *http.Request) {
				now = now.Add(test.took)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				fmt.Fprintf(w, `{"success":false,"error":%q}`, test.text)
			}))
			defer roam.Close()
			path := filepath.Join(t.TempDir(), PortFileName)
			writePort(t, path, portOf(t, roam))
			client := New(Options{PortFile: PortFile{Path: path}, Now: func() time.Time { return now }})
			defer client.CloseIdleConnections()
			_, err := client.Call(t.Context(), work, secretToken(t), test.action)
			failed := failedCall(t, err)
			if failed.Code != test.want || !strings.Contains(failed.Message, test.text) {
				t.Errorf("it is %s, %q", failed.Code, failed.Message)
			}
		})
	}
}
