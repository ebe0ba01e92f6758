package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/page"
)

// CodeNotRunning is the code of the error for a home folder without a running
// sandbox.
const CodeNotRunning problem.Code = "SANDBOX_NOT_RUNNING"

// controlLimit is how long turning switches may take.
const controlLimit = 10 * time.Second

// SwitchState is a switch of a running sandbox, also on the wire.
type SwitchState struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	Usage string `json:"usage"` // as it is written, such as "latency=DURATION"
	Does  string `json:"does"`
	Value string `json:"value,omitempty"` // "on" of one that takes none; empty: off
}

// TurnSwitches changes switches of the sandbox that runs for a home folder, in any
// process of this user: with clear it turns all off first, then it applies the
// settings. It returns all switches. An empty data folder is the default one.
func TurnSwitches(ctx context.Context, home, data string, clear bool, settings ...Setting) ([]SwitchState, error) {
	port, running := Running(ctx, home)
	if !running {
		return nil, &problem.Error{
			Code: CodeNotRunning, Message: fmt.Sprintf("No sandbox of the home folder %s runs.", home),
			Hint: problem.Say("Start it with %s, or name another home folder.", problem.Run("sandbox").Anywhere()),
		}
	}
	options, err := Options{Home: home, Data: data}.withDefaults()
	if err != nil {
		return nil, err
	}
	texts := []string{}
	for _, setting := range settings {
		texts = append(texts, setting.String())
	}
	body, err := json.Marshal(switchChange{texts, clear})
	if err != nil {
		return nil, err
	}
	return postSwitches(ctx, options, port, body)
}

// switchChange is the body of POST /sandbox/switches.
type switchChange struct {
	Set   []string `json:"set"`
	Clear bool     `json:"clear"`
}

func postSwitches(ctx context.Context, options Options, port int, body []byte) ([]SwitchState, error) {
	ctx, cancel := context.WithTimeout(ctx, controlLimit)
	defer cancel()
	response, err := ask(ctx, options.Data, port, http.MethodPost, "/sandbox/switches", body)
	if err != nil {
		return nil, fmt.Errorf("turn the sandbox's switches: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		Result []SwitchState `json:"result"`
		Error  *wireError    `json:"error"`
	}
	if err := readReply(response, &answer); err != nil {
		return nil, fmt.Errorf("turn the sandbox's switches: read the answer: %w", err)
	}
	if answer.Error != nil {
		return nil, &problem.Error{Code: answer.Error.Code, Message: answer.Error.Message}
	}
	return answer.Result, nil
}

// ask calls one of the own routes of the sandbox that runs for a data folder and listens
// on a port, with the key of that folder. It goes to a port of this user only: the key is
// this user's. The caller closes the body.
func ask(ctx context.Context, data string, port int, method, path string, body []byte) (*http.Response, error) {
	key, err := readKey(data)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", bearer+key)
	transport := &http.Transport{DialContext: localapi.Dialer{}.DialContext, DisableKeepAlives: true} // no proxy either
	response, err := transport.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	_ = response.Body.Close()
	return nil, &problem.Error{
		Code:    codeWrongKey,
		Message: fmt.Sprintf("What listens on 127.0.0.1:%d is not this sandbox: it does not take the sandbox's key.", port),
		Hint:    problem.Say("Stop what listens there, or start %s again, which takes another port.", problem.Run("sandbox").Anywhere()),
	}
}

// dialerOf connects to ports of this user, or of the owner of the home folder's port
// file.
func dialerOf(home string) func(context.Context, string, string) (net.Conn, error) {
	return localapi.Dialer{PortFile: localapi.PortFile{Path: portFilePath(home)}}.DialContext
}

// readReply decodes a reply of 1 MiB at most, to its end.
func readReply(response *http.Response, into any) error {
	content, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, 1<<20))
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// withKey serves one of the sandbox's own routes to those who have its key.
func (s *Server) withKey(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), bearer)
		if subtle.ConstantTimeCompare([]byte(sent), []byte(s.key)) != 1 {
			refuseWith(w, refuse(http.StatusUnauthorized, codeWrongKey, "The request needs the key in the sandbox's data folder."))
			return
		}
		handler(w, r)
	}
}

const (
	bearer  = "Bearer "
	keyFile = "key"
	mostKey = 1 << 10 // bytes of the file
)

// codeWrongKey is the code for one side that does not know the sandbox's key.
const codeWrongKey problem.Code = "KEY_REQUIRED"

// newKey makes the key of a sandbox that starts, in its data folder. With it one may turn
// switches and export graphs; other users of this machine, and agents that were granted a
// token, don't have it. Whoever was sent it on the port of a sandbox that had ended can do
// nothing with it: the next one has another.
func newKey(data string) (string, error) {
	path := filepath.Join(data, keyFile)
	if _, err := files.ReadOwn(path, mostKey); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", homeUnusable(data, err)
	}
	key := rand.Text()
	if err := files.ReplaceAtomically(path, []byte(key+"\n")); err != nil {
		return "", homeUnusable(data, err)
	}
	return key, nil
}

// readKey returns the key of the sandbox that runs for a data folder.
func readKey(data string) (string, error) {
	content, err := files.ReadOwn(filepath.Join(data, keyFile), mostKey)
	if err != nil {
		return "", homeUnusable(data, err)
	}
	return strings.TrimSpace(string(content)), nil
}

// PageURL returns the address of the page for browsers. It contains a key, which is
// another at every start: show it only to the person who runs the sandbox.
func (s *Server) PageURL() string { return s.page.Address() }

// controlSwitches is /sandbox/switches: GET lists all switches, POST changes
// some with {"set": ["name=value", …], "clear": bool} and lists them too.
func (s *Server) controlSwitches(w http.ResponseWriter, r *http.Request) {
	err := s.changeSwitches(r)
	if err != nil {
		refuseWith(w, err)
		return
	}
	list := []SwitchState{}
	for _, known := range Switches() {
		list = append(list, SwitchState{known.Name, known.Group, known.Usage(), known.Does, s.switches.value(known.Name)})
	}
	send(w, http.StatusOK, reply{Result: rawjson.Encode(list)})
}

func (s *Server) changeSwitches(r *http.Request) error {
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
	settings, err := ParseSettings(asked.Set)
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

// newPage makes the page for browsers.
func (s *Server) newPage() *page.Handler {
	return page.New(page.Options{
		Port:   s.port,
		Graphs: s.shownGraphs,
		Desk:   s.desk,
		Now:    s.options.Now,
		NotFound: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			refuseWith(w, refuse(http.StatusNotFound, localapi.CodeNotFound, "There is no such route."))
		}),
	})
}

func (s *Server) shownGraphs() []page.Graph {
	var shown []page.Graph
	for _, status := range s.graphs.status() {
		if graph, err := s.graphs.find(status.Graph); err == nil {
			shown = append(shown, page.Graph{Graph: status.Graph, Pages: status.Pages, Blocks: status.Blocks, DB: graph.db()})
		}
	}
	return shown
}
