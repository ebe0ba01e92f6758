package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/atomicfile"
	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
	"roam-mcp/sandbox/switches"
)

const (
	keyFile = "key"
	// keyHeader carries the key to the sandbox's own routes.
	keyHeader = "Roam-Sandbox-Key"
	minKey    = 20
)

// codeWrongKey is the code for requests without the sandbox's key.
const codeWrongKey problem.Code = "KEY_REQUIRED"

// readKey returns the key of a data folder, made if there is none. With it one may
// read the graphs in a browser, answer token requests and turn switches; other
// users of this machine, and agents that were granted a token, don't have it.
func readKey(data string) (string, error) {
	path := filepath.Join(data, keyFile)
	content, err := os.ReadFile(path)
	if key := strings.TrimSpace(string(content)); err == nil && len(key) >= minKey {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", homeUnusable(data, err)
	}
	key := rand.Text()
	if err := atomicfile.Write(path, []byte(key+"\n")); err != nil {
		return "", homeUnusable(data, err)
	}
	return key, nil
}

// PageURL returns the address of the page for browsers. It contains the key: show it
// only to the person who runs the sandbox.
func (s *Server) PageURL() string { return fmt.Sprintf("http://127.0.0.1:%d/?key=%s", s.port, s.key) }

// controlSwitches is /sandbox/switches: GET lists all switches, POST changes
// some with {"set": ["name=value", …], "clear": bool} and lists them too. It
// requires the key.
func (s *Server) controlSwitches(w http.ResponseWriter, r *http.Request) {
	err := s.changeSwitches(r)
	if err != nil {
		refuseWith(w, err)
		return
	}
	list := []SwitchState{}
	for _, known := range switches.Catalog() {
		list = append(list, SwitchState{known.Name, known.Usage(), known.Does, s.switches.Value(known.Name)})
	}
	send(w, http.StatusOK, reply{Result: rawjson.Encode(list)})
}

func (s *Server) changeSwitches(r *http.Request) error {
	if err := s.checkKey(r); err != nil {
		return err
	}
	switch r.Method {
	case http.MethodGet:
		return nil
	case http.MethodPost:
	default:
		return refuse(http.StatusMethodNotAllowed, codeWrongMethod, r.Method+" is not understood here.")
	}
	var asked switchChange
	if err := decodeBody(r, &asked); err != nil {
		return err
	}
	settings, err := switches.ParseAll(asked.Set)
	if err != nil {
		wrong := problem.FromError(err)
		return refuse(http.StatusBadRequest, wrong.Code, wrong.Message+" "+problem.World{}.Say(wrong.Hint))
	}
	if asked.Clear {
		s.switches.Clear()
	}
	s.switches.Apply(settings...)
	return nil
}
