package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/transport"
)

// testIDs sends requests whose ids are random JSON values over both transports, in both
// eras, and looks at the bytes of the answers.
func testIDs(t *testing.T, seed uint64, count int) {
	for name, connect := range map[string]func(*testing.T) wire{
		"stdio, with a session":    func(t *testing.T) wire { return overStdio(t, false) },
		"stdio, without a session": func(t *testing.T) wire { return overStdio(t, true) },
		"HTTP, with a session":     func(t *testing.T) wire { return overHTTP(t, false) },
		"HTTP, without a session":  func(t *testing.T) wire { return overHTTP(t, true) },
	} {
		t.Run(name, func(t *testing.T) {
			random, send := rand.New(rand.NewPCG(seed, 1)), connect(t)
			same, refused := 0, 0
			for i := range count {
				id := randomValue(random, 0)
				answer := send(id, i)
				got := rawjson.Parse([]byte(answer))
				failed := rawjson.Parse(got.Get("error"))
				isID := strings.ContainsAny(id[:1], `"-0123456789`)
				switch {
				case isID && string(got.Get("id")) == id && string(failed.Get("code")) != "-32600":
					same++
				case !isID && string(got.Get("id")) == "null" && string(failed.Get("code")) == "-32600":
					refused++
				default:
					t.Errorf("%s is answered with %.200s", id, answer)
				}
			}
			t.Logf("of %d ids %d came back as they were, %d were refused", count, same, refused)
			if same+refused != count || same == 0 || refused == 0 {
				t.Errorf("%d of %d are otherwise", count-same-refused, count)
			}
		})
	}
}

// wire sends a request with an id and returns the message that answers it. Of every
// three requests one calls a tool, one asks for the list of tools, and one has a method
// that is not known.
type wire func(id string, number int) string

func request(id string, number int, stateless bool) (body, method string) {
	params := ""
	if method = []string{"tools/call", "tools/list", "no/such"}[number%3]; method == "tools/call" {
		params = `"name":"text","arguments":{}`
	}
	if stateless {
		params = strings.TrimPrefix(params+","+mcptest.StatelessMeta, ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params), method
}

func overStdio(t *testing.T, stateless bool) wire {
	server := mcptest.NewServer(transport.Middleware)
	l := mcptest.Serve(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return transport.ServeStdio(ctx, server.Server, in, out, transport.StdioOptions{})
	})
	answers := bufio.NewReader(l.Out)
	next := func() string {
		line, err := answers.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSuffix(line, "\n")
	}
	if !stateless {
		l.Send(mcptest.HelloLines)
		next()
	}
	return func(id string, number int) string {
		body, _ := request(id, number, stateless)
		l.Send(body + "\n")
		return next()
	}
}

func overHTTP(t *testing.T, stateless bool) wire {
	token := transport.NewToken()
	server, err := transport.ListenHTTP(t.Context(), mcptest.NewServer(transport.Middleware).Server, transport.HTTPOptions{Address: "127.0.0.1:0", Token: token})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	e := mcptest.HTTP{URL: server.URL(), Token: token.Reveal()}
	session := ""
	if !stateless {
		response, _ := e.Post(t, mcptest.Initialize)
		session = response.Header.Get("Mcp-Session-Id")
	}
	return func(id string, number int) string {
		body, method := request(id, number, stateless)
		headers := []string{"Mcp-Session-Id", session}
		if stateless {
			headers = []string{"Mcp-Protocol-Version", transport.StatelessVersion, "Mcp-Method", method, "Mcp-Name", "text"}
		}
		_, text := e.Post(t, body, headers...)
		return strings.TrimSuffix(strings.TrimPrefix(text, "event: message\ndata: "), "\n\n")
	}
}

// randomValue returns a JSON value on one line, an id more often than not.
func randomValue(random *rand.Rand, depth int) string {
	switch kind := random.IntN(12); {
	case kind < 3:
		return randomNumber(random)
	case kind < 7:
		return randomString(random)
	case kind == 7:
		return []string{"null", "true", "false"}[random.IntN(3)]
	case kind == 8 && depth < 3:
		return "[" + randomValue(random, depth+1) + ", " + randomValue(random, depth+1) + "]"
	case kind == 9 && depth < 3:
		return "{" + randomString(random) + ":" + randomValue(random, depth+1) + "}"
	}
	return fmt.Sprint(random.IntN(1000) - 10)
}

func randomNumber(random *rand.Rand) string {
	text := []string{"", "-"}[random.IntN(2)]
	text += []string{"0", "1", "7", "9007199254740993", "18446744073709551616", strings.Repeat("123456789", 1+random.IntN(10))}[random.IntN(6)]
	if random.IntN(2) == 0 {
		text += "." + fmt.Sprint(random.IntN(1_000_000)) + strings.Repeat("0", random.IntN(3))
	}
	if random.IntN(3) == 0 {
		text += []string{"e", "E"}[random.IntN(2)] + []string{"", "+", "-"}[random.IntN(3)] + fmt.Sprint(random.IntN(500))
	}
	return text
}

// randomString returns a string with escapes where none are needed, and without where
// other encoders have them.
func randomString(random *rand.Rand) string {
	parts := []string{
		"a", "<&>", " ", `\u0041`, `\u00e9`, "é", `\/`, "/", `\"`, `\\`, `\n`, `\u2028`, "\u2028", "\u202e", `\ud83d\ude00`, "😀", `\ud800`, `\u0000`,
		"roam-mcp-id:", `event: message`, `\r\ndata: `, "}", `{`, "🏴\U000e0067", "�",
	}
	var out strings.Builder
	for range random.IntN(6) {
		out.WriteString(parts[random.IntN(len(parts))])
	}
	if text := `"` + out.String() + `"`; json.Valid([]byte(text)) {
		return text
	}
	panic("a string that is no JSON")
}
