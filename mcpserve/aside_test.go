package mcpserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// largePage is a page's reply whose text is held aside.
func largePage(note string) string {
	text := "# x <roam uid=\"p\"/>\n\n- " + note + "\n" + strings.Repeat("- a block — with \"quotes\", \\ and \u2028 <roam uid=\"b\"/>\n", 3000)
	return `{"uid":"p","markdown":` + string(encode(text)) + `}`
}

func TestALargeReplyArrivesAsItIs(t *testing.T) {
	for name, note := range map[string]string{
		"of plain text": "nothing special",
		"with the text of what stands for a text": asideMark + "ABCDEFGHIJKLMNOPQRSTUVWXYZ " + `"` + asideMark + `" ` + `\"` + asideMark,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 1 << 20 })
			page := largePage(note)
			w.roam.result("data.ai.getPage", page)
			p := w.serveStdio().listen()
			p.send(helloLine)
			p.answer(0.0)
			const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
			p.send(fmt.Sprintf(pageLine, 1))
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"},` + meta + `}}` + "\n")
			for range 2 { // in any order
				message := p.next()
				content := message["result"].(map[string]any)["content"].([]any)[0].(map[string]any)
				if want := `{"graph":"Work","graphName":"work-graph",` + page[1:]; content["text"] != want {
					t.Errorf("the reply to %v is not as it was sent", message["id"])
				}
			}
			w.server.sessions.mu.Lock()
			defer w.server.sessions.mu.Unlock()
			for _, session := range w.server.sessions.open {
				if n := len(session.aside.texts); n > 0 {
					t.Errorf("%d texts are still held", n)
				}
			}
		})
	}
}

func TestWhatStandsForATextServesOnce(t *testing.T) {
	var a aside
	mark, ok := a.hold(spliced{front: []byte("{"), rest: []byte("}")})
	if !ok {
		t.Fatal("not held")
	}
	message := []byte(`{"x":"` + asideMark + `","y":"` + mark + `"}`)
	var first, second bytes.Buffer
	must(t, a.restore(bytes.Clone(message)).writeTo(&first, nil))
	must(t, a.restore(bytes.Clone(message)).writeTo(&second, nil))
	if want := `{"x":"` + asideMark + `","y":"{}"}` + "\n"; first.String() != want {
		t.Errorf("got %s", first.String())
	}
	if second.String() != string(message)+"\n" {
		t.Errorf("the second time: %s", second.String())
	}
	for range maxInFlight {
		a.hold(spliced{})
	}
	if _, ok := a.hold(spliced{}); ok {
		t.Error("more is held than there can be calls")
	}
}

func TestAnOutputThatBreaksInALargeReplyIsReported(t *testing.T) {
	message := outgoing{head: []byte(`{"text":`), text: spliced{rest: bytes.Repeat([]byte("x"), 1<<20)}, tail: []byte("}")}
	if err := message.writeTo(iotest.TruncateWriter(brokenWriter{}, 1), nil); err == nil {
		t.Error("no error")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("broken") }

func FuzzStringWriter(f *testing.F) {
	for _, seed := range []string{"", "plain", `"\`, "\x00\x1f\x7f\n\r\t", "é—\u2028\u2029\U0001F600", "\xff\xc3", strings.Repeat("a", 70000), strings.Repeat("ü", 20000)} {
		f.Add(seed, 1)
		f.Add("0123456789"+seed, 40)
	}
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.Repeat(text, max(1, min(times, 200)))
		var out bytes.Buffer
		must(t, outgoing{text: spliced{front: []byte(text[:len(text)/2]), rest: []byte(text[len(text)/2:])}, tail: []byte{}}.writeTo(&out, nil))
		line, ended := bytes.CutSuffix(out.Bytes(), []byte("\n"))
		var back string
		if err := json.Unmarshal(line, &back); err != nil || !ended || !utf8.Valid(line) || bytes.ContainsAny(line, "\n\r\u2028\u2029") {
			t.Fatalf("%.80q: %v", line, err)
		}
		if utf8.ValidString(text) && utf8.ValidString(text[:len(text)/2]) && back != text {
			t.Errorf("%.80q became %.80q", text, back)
		}
	})
}
