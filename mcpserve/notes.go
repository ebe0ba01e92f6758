package mcpserve

import (
	"bytes"
	"encoding/json"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// roamNames finds Roam's own names of what tools do here, as its notes have them.
var roamNames = lazyregexp.New(`\b(?:data\.ai\.)?(getBacklinks|getPage|getBlock|getComments|searchTemplates|roamQuery|semanticSearch|suggestLinks|getGraphGuidelines)\b`)

func taskOf(roamName string) problem.Task {
	switch roamName {
	case "getBacklinks":
		return problem.ReadBacklinks
	case "getPage":
		return problem.ReadPage
	case "getBlock":
		return problem.ReadBlock
	case "getComments":
		return problem.ReadComments
	case "searchTemplates":
		return problem.FindTemplates
	case "roamQuery":
		return problem.RunQuery
	case "semanticSearch":
		return problem.SearchByMeaning
	case "suggestLinks":
		return problem.SuggestLinks
	}
	return problem.ReadGuidelines
}

// translateNotes returns a reply whose notes name tools as this server does: its own note, and those of
// its linked references and of the pages in it. All else is content, and stays.
func translateNotes(reply json.RawMessage, world problem.World) json.RawMessage {
	if !bytes.Contains(reply, []byte(`"note":`)) { // as a key: in a text the quotes have escapes
		return reply
	}
	object := rawjson.Parse(reply)
	if object == nil {
		return reply
	}
	for i, m := range object {
		switch m.Key {
		case "note":
			object[i].Value = translateNote(m.Value, world)
		case "linkedReferences":
			object[i].Value = translateNotes(m.Value, world)
		case "pages":
			if pages := rawjson.Elements(m.Value); len(pages) > 0 {
				for i := range pages {
					pages[i] = translateNotes(pages[i], world)
				}
				object[i].Value = rawjson.Array(pages)
			}
		}
	}
	return object.JSON()
}

func translateNote(value json.RawMessage, world problem.World) json.RawMessage {
	note := ""
	if json.Unmarshal(value, &note) != nil {
		return value
	}
	return rawjson.Encode(roamNames.ReplaceAllStringFunc(note, func(name string) string {
		if tool := world.ToolName(taskOf(roamNames.FindStringSubmatch(name)[1])); tool != "" {
			return tool
		}
		return name
	}))
}
