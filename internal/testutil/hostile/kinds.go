package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

const (
	good    = `{"success":true,"result":{"uid":"p","markdown":"x"},"apiVersion":"1.1.5"}`
	okLine  = "HTTP/1.1 200 OK\r\n"
	jsonRow = "Content-Type: application/json\r\n"
	chunked = okLine + jsonRow + "Transfer-Encoding: chunked\r\n\r\n"
	between = 5 * time.Millisecond // drops of what drips
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return slices.Concat(ends(), freezes(), floods(), lengths(), leads(), bodies(), protocols(), echoes())
}

// says is a kind that says one text.
func says(name, text string) Kind {
	return Kind{Name: name, Answer: func(c *Conn) { c.Say(text) }}
}

// drips says a beginning, and then a text again and again, with a pause each time.
func drips(name, beginning, drop string) Kind {
	return Kind{Name: name, Hangs: true, Answer: func(c *Conn) {
		for open := c.Say(beginning); open; open = c.Say(drop) {
			select {
			case <-c.closed:
			case <-time.After(between):
			}
		}
	}}
}

// pours says a beginning, and then a text as fast as it is read.
func pours(name, beginning, more string) Kind {
	return Kind{Name: name, Answer: func(c *Conn) {
		for open := c.Say(beginning); open; open = c.Say(more) {
		}
	}}
}

func resets(c *Conn) { _ = c.Conn.(*net.TCPConn).SetLinger(0) }

func ends() []Kind {
	return []Kind{
		{Name: "closes at once", Early: true, Answer: func(*Conn) {}},
		{Name: "resets at once", Early: true, Answer: resets},
		says("closes after the request", ""),
		{Name: "resets after the request", Answer: resets},
		says("closes within the status line", "HTTP/1.1 20"),
		says("closes after the status line", okLine),
		says("closes within the header", okLine+"Content-Ty"),
		says("closes after the header", okLine+jsonRow+"Content-Length: 100\r\n\r\n"),
		says("closes within the body", okLine+jsonRow+"Content-Length: 100\r\n\r\n"+good[:20]),
		says("closes within a chunk", chunked+"50\r\n"+good[:20]),
		says("closes before the last chunk", chunked+fmt.Sprintf("%x\r\n%s\r\n", len(good), good)),
	}
}

func freezes() []Kind {
	return []Kind{
		{Name: "accepts and is silent", Early: true, Hangs: true, Answer: func(c *Conn) { c.Freeze() }},
		{Name: "freezes after the request", Hangs: true, Answer: func(c *Conn) { c.Freeze() }},
		{Name: "freezes within the body", Hangs: true, Answer: func(c *Conn) {
			c.Say(okLine + jsonRow + "Content-Length: 100\r\n\r\n" + good[:20])
			c.Freeze()
		}},
		drips("drips the status line", "HTTP/1.1 200 ", "O"),
		drips("drips the header", okLine, "X: y\r\n"),
		drips("drips the body", okLine+jsonRow+"Content-Length: 100000\r\n\r\n", " "),
		drips("drips chunks", chunked, "1\r\n \r\n"),
		drips("drips 1xx", "", "HTTP/1.1 102 Processing\r\n\r\n"),
	}
}

func floods() []Kind {
	kilo := strings.Repeat("x", 1000)
	return []Kind{
		pours("never ends the body", chunked, "3e8\r\n"+kilo+"\r\n"),
		pours("never ends a body without a length", okLine+jsonRow+"\r\n", strings.Repeat(kilo, 30)),
		pours("never ends a header line", okLine+"X: ", kilo),
		pours("never ends the header", okLine, "X: "+kilo+"\r\n"),
		pours("never ends the status line", "HTTP/1.1 200 ", kilo),
		pours("floods with 100 Continue", "", "HTTP/1.1 100 Continue\r\n\r\n"),
		pours("floods with early hints", "", "HTTP/1.1 103 Early Hints\r\nLink: "+kilo+"\r\n\r\n"),
		pours("never ends a chunk's extension", chunked+"1;", kilo),
		pours("never ends the trailer", chunked+"0\r\n", "X: "+kilo+"\r\n"),
		{Name: "sends a gzip bomb", Answer: func(c *Conn) { c.Say(reply(200, bomb(), "Content-Encoding: gzip")) }},
	}
}

// bomb is 64 MiB of spaces, in 64 KiB.
func bomb() string {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // the level is one
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		_, _ = w.Write(spaces) // a buffer takes all
	}
	_ = w.Close()
	return out.String()
}

func lengths() []Kind {
	return []Kind{
		says("says a length that is too long", okLine+jsonRow+"Content-Length: 1000\r\n\r\n"+good),
		says("says a length that is too short", okLine+jsonRow+"Content-Length: 10\r\n\r\n"+good),
		says("says a negative length", okLine+jsonRow+"Content-Length: -1\r\n\r\n"+good),
		says("says a length that is none", okLine+jsonRow+"Content-Length: ten\r\n\r\n"+good),
		says("says a length of exabytes", okLine+jsonRow+"Content-Length: 9000000000000000000\r\n\r\n"+good),
		says("says two lengths", okLine+jsonRow+"Content-Length: 10\r\nContent-Length: 20\r\n\r\n"+good),
		says("says chunks that are none", chunked+good),
		says("says a chunk of exabytes", chunked+"7fffffffffffffff\r\n"+good),
		says("says a chunk without bounds", chunked+"ffffffffffffffffff\r\n"+good),
		says("says another encoding", okLine+"Transfer-Encoding: identity, gzip\r\n\r\n"+good),
		says("says gzip where there is none", reply(200, good[:20], "Content-Encoding: gzip")),
	}
}

func leads() []Kind {
	leadsTo := func(name string, status int, where func(*Conn) string) Kind {
		return Kind{Name: name, Answer: func(c *Conn) { c.Say(reply(status, "", "Location: "+where(c))) }}
	}
	elsewhere := func(c *Conn) string { return "http://" + c.Elsewhere + "/api/work" }
	return []Kind{
		leadsTo("redirects to another port", 307, elsewhere),
		leadsTo("redirects for good", 308, elsewhere),
		leadsTo("redirects to a GET", 303, elsewhere),
		leadsTo("redirects to another name", 302, func(c *Conn) string { return strings.Replace(elsewhere(c), "127.0.0.1", "localhost", 1) }),
		leadsTo("redirects to itself", 307, func(c *Conn) string { return "http://" + c.LocalAddr().String() + "/api/work" }),
		leadsTo("redirects to a file", 307, func(*Conn) string { return "file:///etc/passwd" }),
		{Name: "asks for a proxy's password", Answer: func(c *Conn) { c.Say(reply(407, "", "Proxy-Authenticate: Basic")) }},
		{Name: "asks for another try", Answer: func(c *Conn) { c.Say(reply(503, "", "Retry-After: 0")) }},
		{Name: "says that the connection had its time", Answer: func(c *Conn) { c.Say(reply(408, "")) }},
	}
}

func bodies() []Kind {
	body := func(name, text string) Kind { return says(name, reply(200, text)) }
	kind := body("says a key twice", `{"success":false,"success":true,"result":1,"result":{"uid":"p"}}`)
	kind.Good = true
	invalid := body("says what is no UTF-8", "{\"success\":true,\"result\":{\"uid\":\"p\",\"markdown\":\"\xff\xfe\xc0\xaf\"}}")
	invalid.Good = true
	return []Kind{
		kind, invalid,
		body("says nothing", ""),
		body("says HTML", "<!DOCTYPE html><title>no</title>"),
		body("says half of it", good[:40]),
		body("says it twice", good+good),
		body("says a wrong type", `{"success":"yes","result":1}`),
		body("says an error of a wrong type", `{"success":false,"error":{"code":7,"message":[]}}`),
		body("says a number", "42"),
		body("says NaN", `{"success":true,"result":NaN}`),
		body("says another object", `{"hello":"world"}`),
		body("nests deeply", `{"success":true,"result":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+"}"),
		body("says zero bytes", strings.Repeat("\x00", 1000)),
		body("says a zero byte within a text", "{\"success\":true,\"result\":\"a\x00b\"}"),
		body("begins with a byte order mark", "\xEF\xBB\xBF"+good),
	}
}

func protocols() []Kind {
	old := says("speaks HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n"+good)
	old.Good = true
	return []Kind{
		old,
		says("speaks HTTP/0.9", good),
		says("speaks HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"),
		says("speaks HTTP/9.9", "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
		says("speaks TLS", "\x16\x03\x03\x00\x31\x02\x00\x00\x2d\x03\x03"),
		{Name: "speaks SSH", Early: true, Answer: func(c *Conn) { c.Say("SSH-2.0-OpenSSH_9.9\r\n") }},
		says("says a status that is none", "HTTP/1.1 abc\r\n\r\n"),
		says("says a status of five digits", "HTTP/1.1 20000 OK\r\n\r\n"),
		says("says the status 0", "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n"),
		says("says 204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 75\r\n\r\n"+good),
		says("switches the protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"+good),
		says("writes a header without a colon", okLine+"no colon\r\n\r\n"+good),
		says("folds a header", okLine+"X: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
	}
}

// echoes are kinds that say the token.
func echoes() []Kind {
	echo := func(name, format string) Kind {
		return Kind{Name: name, Answer: func(c *Conn) { c.Say(strings.ReplaceAll(format, "TOKEN", c.Token)) }}
	}
	object := func(status int, text string) func(*Conn) {
		return func(c *Conn) { c.Say(reply(status, strings.ReplaceAll(text, "TOKEN", c.Token))) }
	}
	second := echo("echoes the token in a second response", reply(200, good)+"HTTP/1.1 200 OK\r\nX: TOKEN\r\n\r\nTOKEN")
	second.Good = true
	return []Kind{
		second,
		echo("echoes the token where a status should be", "HTTP/1.1 TOKEN\r\n\r\n"),
		echo("echoes the token as the status line", "TOKEN\r\n\r\n"),
		echo("echoes the token in the reason", "HTTP/1.1 500 TOKEN\r\nContent-Length: 0\r\n\r\n"),
		echo("echoes the token in the header", "HTTP/1.1 500 No\r\nTOKEN\r\n\r\n"),
		echo("echoes the token as the content type", "HTTP/1.1 200 OK\r\nContent-Type: TOKEN\r\nContent-Length: 1\r\n\r\n<"),
		echo("echoes the token as a length", "HTTP/1.1 200 OK\r\nContent-Length: TOKEN\r\n\r\n"),
		echo("echoes the token as a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nTOKEN\r\n"),
		echo("echoes the token as an encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: TOKEN\r\n\r\n"),
		echo("echoes the token in a redirect", "HTTP/1.1 307 No\r\nLocation: http://TOKEN:x\r\nContent-Length: 0\r\n\r\n"),
		{Name: "echoes the token in an error", Answer: object(401, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"no TOKEN"}}`)},
		{Name: "echoes the token as a code", Answer: object(400, `{"success":false,"error":{"code":"TOKEN","message":"no"}}`)},
		{Name: "echoes the token as a version", Answer: object(400, `{"success":false,"error":{"code":"VERSION_MISMATCH","message":"no"},"apiVersion":"TOKEN"}`)},
		{Name: "echoes the token in HTML", Answer: object(500, "<p>TOKEN</p>")},
	}
}
