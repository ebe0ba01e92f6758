package clients

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
)

// place is where servers stand in a file, and what an entry looks like there.
type place struct {
	format fileFormat
	path   []string
	list   bool
	new    string // text of a file that is to be made; empty: the shortest
	entry  shape
	reads  fields // what the client reads beside commonFields, and what of these it does not
}

func (p place) at(name string) entryPlace {
	return entryPlace{Format: p.format, Path: p.path, List: p.list, Name: name, New: p.new}
}

// shape is an entry whose values may be slots.
type shape []field

type field struct {
	key   string
	value any // what an entryField may hold, or a slot
}

// slot stands for what is known of a server.
type slot uint8

const (
	theName    slot = iota + 1
	theCommand      // a string
	theArgs         // a list
	theLine         // the command and its arguments in one list
)

// of returns the entry of a server.
func (s shape) of(server Server) entryFields {
	entry := make(entryFields, len(s))
	for i, f := range s {
		entry[i] = entryField{Key: f.key, Value: f.value}
		switch f.value {
		case theName:
			entry[i].Value = server.Name
		case theCommand:
			entry[i].Value = server.Command
		case theArgs:
			entry[i].Value = slices.Clone(server.Args)
		case theLine:
			entry[i].Value = append([]string{server.Command}, server.Args...)
		}
	}
	return entry
}

// words fills a template of a command line in. {args} stands for each argument, with
// what stands before it in the same word repeated.
func words(template []string, s Server, entry entryFields) []string {
	var filled []string
	for _, word := range template {
		if before, ok := strings.CutSuffix(word, "{args}"); ok {
			for _, arg := range s.Args {
				filled = append(filled, before+arg)
			}
			continue
		}
		filled = append(filled, strings.NewReplacer("{name}", s.Name, "{command}", s.Command, "{entry}", entryJSON(entry)).Replace(word))
	}
	return filled
}

// address fills the template of a link in.
func address(template string, s Server, entry entryFields) string {
	if template == "" {
		return ""
	}
	plain, named := entryJSON(entry), entryJSON(append(entryFields{{Key: "name", Value: s.Name}}, entry...))
	whole := entryJSON(entryFields{{Key: "mcpServers", Value: entryFields{{Key: s.Name, Value: entry}}}})
	encoded := func(text string) string {
		return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return strings.NewReplacer("{name}", url.QueryEscape(s.Name), "{entry}", percent(plain), "{json}", percent(named),
		"{base64}", encoded(plain), "{servers64}", encoded(whole)).Replace(template)
}

// percent is url.QueryEscape for those who do not take a plus sign for a space.
func percent(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// entryJSON returns an entry as one line of JSON, its keys in their order.
func entryJSON(entry entryFields) string {
	var o rawjson.Object
	for _, f := range entry {
		value := f.Value
		if inner, ok := value.(entryFields); ok {
			value = json.RawMessage(entryJSON(inner))
		}
		o = o.With(f.Key, value)
	}
	return string(o.JSON())
}
