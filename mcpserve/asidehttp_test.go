package mcpserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

const modernMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// pageOver is a call of get_page as it goes over HTTP; session "" is the
// stateless era.
func pageOver(session string, id int) (body string, headers []string) {
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}%s}}`
	if session != "" {
		return fmt.Sprintf(call, id, ""), []string{headerSession, session}
	}
	return fmt.Sprintf(call, id, modernMeta), []string{headerVersion, statelessVersion, headerMethod, "tools/call", "Mcp-Name", "get_page"}
}

// messageOf is the one message in the answer to a POST.
func messageOf(t *testing.T, answer string) map[string]any {
	t.Helper()
	data, hasData := strings.CutPrefix(answer, "event: message\ndata: ")
	data, ends := strings.CutSuffix(data, "\n\n")
	var message map[string]any
	if err := json.Unmarshal([]byte(data), &message); err != nil || !hasData || !ends || strings.ContainsAny(data, "\r\n") {
		t.Errorf("not one event with one message: %v: %.200q", err, answer)
	}
	return message
}

func TestALargeReplyOverHTTPArrivesAsItIs(t *testing.T) {
	for name, note := range map[string]string{
		"of plain text": "nothing special",
		"with the text of what stands for a text": asideMark + "ABCDEFGHIJKLMNOPQRSTUVWXYZ " + `"` + asideMark + `" ` + `\"` + asideMark,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 1 << 20 })
			page := largePage(note)
			w.roam.result("data.ai.getPage", page)
			e := w.serveHTTP()
			response, _ := e.post(initializeBody)
			sessions := []string{response.Header.Get(headerSession), ""}
			var all sync.WaitGroup
			for id := range 16 {
				all.Go(func() {
					body, headers := pageOver(sessions[id%2], id)
					again, _ := pageOver(sessions[id%2], 100+id)
					_, answer := e.post(body, append(headers, headerAside, "what a client says")...)
					message := messageOf(t, answer)
					if got, want := message["result"], e.withoutAside(again, headers); !reflect.DeepEqual(got, want) {
						t.Errorf("the result of %d differs from that of the library alone", id)
					}
					text := message["result"].(map[string]any)["content"].([]any)[0].(map[string]any)["text"]
					if message["id"] != float64(id) || text != `{"graph":"Work","graphName":"work-graph",`+page[1:] {
						t.Errorf("the reply to %d is not as Roam sent it", id)
					}
				})
			}
			all.Wait()
			e.holdsNothing()
		})
	}
}

// withoutAside is the result of a call where the library writes all of it.
func (e *endpoint) withoutAside(body string, headers []string) any {
	request := httptest.NewRequestWithContext(e.t.Context(), http.MethodPost, HTTPPath, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, handler := httptest.NewRecorder(), e.http.stateful
	if isStateless(request) {
		handler = e.http.stateless
	}
	handler.ServeHTTP(answer, request)
	return messageOf(e.t, answer.Body.String())["result"]
}

// holdsNothing makes sure that no text stays behind.
func (e *endpoint) holdsNothing() {
	e.t.Helper()
	eventually(e.t, "nothing is held aside", func() bool {
		asides := e.world.server.asides
		asides.mu.Lock()
		defer asides.mu.Unlock()
		return len(asides.open) == 0
	})
}

func TestAClientThatLeavesLeavesNoTextBehind(t *testing.T) {
	for _, era := range []string{"2025-11-25", statelessVersion} {
		t.Run(era, func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 20 << 20 })
			w.roam.result("data.ai.getPage", `{"uid":"u","markdown":"`+strings.Repeat("x", 16<<20)+`"}`)
			e := w.serveHTTP()
			session := ""
			if era < statelessVersion {
				response, _ := e.post(initializeBody)
				session = response.Header.Get(headerSession)
			}
			body, headers := pageOver(session, 7)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.http.URL(), strings.NewReader(body))
			must(t, err)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
			for i := 0; i+1 < len(headers); i += 2 {
				request.Header.Set(headers[i], headers[i+1])
			}
			response, err := (&http.Client{Transport: withToken{e.token}}).Do(request)
			must(t, err)
			start := make([]byte, 10_000)
			if _, err := io.ReadFull(response.Body, start); err != nil || !bytes.Contains(start, []byte("xxxxx")) {
				t.Fatalf("%v: %.200s", err, start)
			}
			response.Body.Close()
			e.holdsNothing()
			w.roam.result("data.ai.getPage", pageResult)
			body, headers = pageOver(session, 8) // the session goes on
			if _, answer := e.post(body, headers...); messageOf(t, answer)["id"] != 8.0 {
				t.Errorf("the next call: %s", answer)
			}
		})
	}
}

func TestACallThatOutlivesItsRequestHoldsNothing(t *testing.T) {
	places := newAsides()
	header := http.Header{}
	texts, end := places.begin(header)
	if _, ok := places.of(header).hold(spliced{rest: []byte("{}")}); !ok {
		t.Fatal("a call that is in time finds no place")
	}
	end()
	if places.of(header) != nil || texts.holds() {
		t.Error("the place is still there")
	}
	if _, ok := texts.hold(spliced{}); ok {
		t.Error("a text is held that nobody will write")
	}
}

// pieces counts what is written at a time.
type pieces struct {
	http.ResponseWriter
	bytes.Buffer
	sizes []int
}

func (p *pieces) Write(data []byte) (int, error) {
	p.sizes = append(p.sizes, len(data))
	return p.Buffer.Write(data)
}

func TestAnAnswerIsWrittenInFewPieces(t *testing.T) {
	places := newAsides()
	texts, _ := places.begin(http.Header{})
	others, _ := places.begin(http.Header{})
	foreign, _ := others.hold(spliced{rest: []byte("another's")})
	answer := httptest.NewRecorder()
	out := &pieces{ResponseWriter: answer}
	w := &wholeWriter{ResponseWriter: out, aside: texts}
	w.Header().Set("Content-Length", "100")
	small := `{"text":"` + foreign + `"}`
	_, err := w.Write([]byte(small))
	must(t, err)
	if !slices.Equal(out.sizes, []int{len(small)}) || out.String() != small || w.Header().Get("Content-Length") == "" {
		t.Errorf("a small answer in %d, %s", out.sizes, out)
	}
	*out = pieces{ResponseWriter: answer}
	mark, _ := texts.hold(spliced{front: []byte("{"), rest: bytes.Repeat([]byte("x"), 1<<20)})
	_, err = w.Write([]byte(`{"text":"` + mark + `","other":"` + foreign + `"}`))
	must(t, err)
	if want := `{"text":"{` + strings.Repeat("x", 1<<20) + `","other":"` + foreign + `"}`; out.String() != want || slices.Max(out.sizes) > 2*writeBuffer || len(out.sizes) > 40 {
		t.Errorf("a large answer in %d", out.sizes)
	}
	if w.Header().Get("Content-Length") != "" {
		t.Error("the length of an answer without its text is told")
	}
}

func FuzzAnswerInPieces(f *testing.F) {
	f.Add("text", "plain", []byte{1, 20, 3, 7})
	f.Add("", `"`, []byte{0, 255})
	f.Add(`a "quoted" \ one`, `"`+asideMark, []byte{12, 12, 12, 12})
	f.Fuzz(func(t *testing.T, text, around string, cuts []byte) {
		places := newAsides()
		texts, end := places.begin(http.Header{})
		defer end()
		first, _ := texts.hold(spliced{rest: []byte(text)})
		second, _ := texts.hold(spliced{front: []byte(text), rest: []byte(text)})
		shape := around + `["%s",` + string(encode(around)) + `,"%s"]` + around
		shape = strings.ReplaceAll(strings.ReplaceAll(shape, "%", "%%"), "%%s", "%s")
		if strings.Count(shape, "%s") != 2 || strings.Contains(around, "%") {
			t.Skip()
		}
		data := []byte(fmt.Sprintf(shape, first, second))
		out := &pieces{ResponseWriter: httptest.NewRecorder()}
		w := &wholeWriter{ResponseWriter: out, aside: texts}
		for _, cut := range append(cuts, 255) {
			n := min(int(cut), len(data))
			written, err := w.Write(bytes.Clone(data[:n]))
			if must(t, err); written != n {
				t.Fatalf("%d of %d", written, n)
			}
			data = data[n:]
		}
		_, err := w.Write(data)
		must(t, err)
		w.finish()
		inner := func(text string) string { return string(appendEscaped(nil, []byte(text))) }
		if want := fmt.Sprintf(shape, inner(text), inner(text)+inner(text)); out.String() != want {
			t.Errorf("cut at %d: %.300q, want %.300q", cuts, out.String(), want)
		}
	})
}
