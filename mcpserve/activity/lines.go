package activity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// format is the version of the lines. Files of another one are left alone.
const format = 1

// Bounds of what a line holds, in characters, and of the lists in it.
const (
	longestName       = 100
	longestPath       = 400
	mostGraphs        = 100
	mostServerClients = 200
)

// line is a line of a server's file; one of its fields is set. Times are milliseconds
// since 1970.
type line struct {
	Server *serverLine `json:"server,omitempty"` // the first line
	Client *clientLine `json:"client,omitempty"` // stands for all earlier ones of the name
	Call   *callLine   `json:"call,omitempty"`   // stands for the earlier one of the number
	Lost   uint64      `json:"lost,omitempty"`
	Ended  int64       `json:"ended,omitempty"`
}

type serverLine struct {
	Format   int      `json:"format"`
	PID      int      `json:"pid"`
	Program  string   `json:"program,omitempty"`
	Version  string   `json:"version,omitempty"`
	Kind     string   `json:"kind"`
	Profile  string   `json:"profile,omitempty"`
	Address  string   `json:"address,omitempty"`
	Graphs   []string `json:"graphs,omitempty"`
	ReadOnly bool     `json:"readOnly,omitempty"`
	Started  int64    `json:"started"`
}

type clientLine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Last    int64  `json:"last"`
	Calls   int    `json:"calls,omitempty"`
}

type callLine struct {
	Number  uint64 `json:"n"`
	At      int64  `json:"at"`
	Client  string `json:"client,omitempty"`
	Graph   string `json:"graph,omitempty"`
	Tool    string `json:"tool"`
	Page    string `json:"page,omitempty"`
	Writes  bool   `json:"writes,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
	TookUS  int64  `json:"us,omitempty"` // microseconds
	Outcome string `json:"outcome,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
	Change  int64  `json:"change,omitempty"`
}

// encode returns a line with its end.
func encode(l line) []byte { return append(rawjson.Encode(l), '\n') }

func lineOfServer(s Server) line {
	return line{Server: &serverLine{
		Format: format, PID: s.PID, Program: clip(s.Program, longestPath), Version: clip(s.Version, longestName), Kind: s.Kind, Profile: clip(s.Profile, longestName),
		Address: clip(s.Address, longestPath), Graphs: clipAll(s.Graphs), ReadOnly: s.ReadOnly, Started: s.Started.UnixMilli(),
	}}
}

func lineOfClient(c ServerClient) line {
	return line{Client: &clientLine{Name: clip(c.Name, longestName), Version: clip(c.Version, longestName), Last: c.Last.UnixMilli(), Calls: c.Calls}}
}

// lineOfCall returns the line of the start or the end of a call. The title of its page is
// left out unless it may be kept.
func lineOfCall(e Event) line {
	c := &callLine{
		Number: e.Call, At: e.At.Add(-e.Took).UnixMilli(), Client: clip(e.Client, longestName), Graph: clip(e.Graph, longestName), Tool: clip(e.Tool, longestName),
		Writes: e.Writes, Ended: e.Ended, TookUS: e.Took.Microseconds(), Outcome: clip(string(e.Outcome), longestName), Bytes: e.Bytes, Change: e.Change,
	}
	if e.KeepsPage {
		c.Page = clip(e.Page, longestName)
	}
	return line{Call: c}
}

// clip bounds a text, and takes out what must not be shown.
func clip(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

func clipAll(texts []string) []string {
	clipped := make([]string, 0, min(len(texts), mostGraphs))
	for _, text := range texts[:min(len(texts), mostGraphs)] {
		clipped = append(clipped, clip(text, longestName))
	}
	return clipped
}

// file is what a server's file says.
type file struct {
	server Server       // without ID and Alive
	calls  []LoggedCall // in the order in which they started, without Server
	size   int64
	at     time.Time // of the last change
}

// parseFile reads a server's file. A line that is broken or unknown is passed over, as is the
// last one where its end is missing: a server may have been killed while it wrote it. known
// is false where the file is of no server, or of another format.
func parseFile(text []byte) (f file, known bool) {
	at := map[uint64]int{} // index of a call
	for raw := range bytes.Lines(text) {
		if !bytes.HasSuffix(raw, []byte("\n")) {
			break
		}
		var l line
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		switch {
		case l.Server != nil && !known:
			if known = l.Server.Format == format; !known {
				return file{}, false
			}
			f.server = l.Server.server()
		case !known:
			return file{}, false
		case l.Client != nil:
			f.server.hear(l.Client.client())
		case l.Call != nil:
			call := l.Call.call()
			if i, there := at[call.Number]; there {
				f.calls[i] = call
				continue
			}
			at[call.Number] = len(f.calls)
			f.calls = append(f.calls, call)
		case l.Lost > 0:
			f.server.Lost = l.Lost
		case l.Ended > 0:
			f.server.Ended = time.UnixMilli(l.Ended)
		}
	}
	return f, known
}

// hear puts a client at the end of the list, in place of the earlier one of its name.
func (s *Server) hear(c ServerClient) {
	s.Clients = append(slices.DeleteFunc(s.Clients, func(known ServerClient) bool { return known.Name == c.Name }), c)
	if extra := len(s.Clients) - mostServerClients; extra > 0 {
		s.Clients = slices.Delete(s.Clients, 0, extra)
	}
}

func (l serverLine) server() Server {
	return Server{
		PID: l.PID, Program: clip(l.Program, longestPath), Version: clip(l.Version, longestName), Kind: clip(l.Kind, longestName), Profile: clip(l.Profile, longestName),
		Address: clip(l.Address, longestPath), Graphs: clipAll(l.Graphs), ReadOnly: l.ReadOnly, Started: time.UnixMilli(l.Started),
	}
}

func (l clientLine) client() ServerClient {
	return ServerClient{Name: clip(l.Name, longestName), Version: clip(l.Version, longestName), Last: time.UnixMilli(l.Last), Calls: max(l.Calls, 0)}
}

func (l callLine) call() LoggedCall {
	c := LoggedCall{
		Number: l.Number, At: time.UnixMilli(l.At), Ended: l.Ended, Client: clip(l.Client, longestName), Graph: clip(l.Graph, longestName), Tool: clip(l.Tool, longestName),
		Page: clip(l.Page, longestName), Writes: l.Writes, Took: time.Duration(max(l.TookUS, 0)) * time.Microsecond, Outcome: problem.Code(clip(l.Outcome, longestName)), Bytes: max(l.Bytes, 0), Change: max(l.Change, 0),
	}
	if c.Ended && c.Outcome != OutcomeOK {
		c.Sentence = SentenceOf(c.Outcome)
	}
	return c
}

// SentenceOf says in plain words what the code of an error means, such as "Page not
// found". It holds nothing of the call.
func SentenceOf(code problem.Code) string {
	words := strings.ToLower(strings.ReplaceAll(string(cmp.Or(code, "FAILED")), "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}
