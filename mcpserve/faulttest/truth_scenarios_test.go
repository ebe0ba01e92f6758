package faulttest

import (
	"slices"

	"roam-mcp/mcpserve/profile/graph"
	"roam-mcp/mcpserve/profile/notes"
	"roam-mcp/mcpserve/profile/outline"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/profile/wiki"
)

// truthScenario is a call of a tool that writes, on the graph of truthFixture.
type truthScenario struct {
	tool, name string
	args       map[string]any
	first      []truthCall // made before, of a Roam as it should be
	large      bool        // the page Large is there, which has more blocks than a pull gives unasked
}

// truthCall is a call that comes before.
type truthCall struct {
	tool string
	args map[string]any
}

// truthFound is an argument that is found in the answer to the last call before: the nth
// part that the pattern matches, from 0.
type truthFound struct {
	pattern string
	nth     int
}

// truthBullets is markdown with what an importer may read otherwise, in bullets.
const truthBullets = "- Tom &amp; Jerry &copy; all\n" +
	"- <b>bold</b> and <T> generic\n" +
	"  - before <!-- keep --> after\n" +
	"- [x]: http://example.org/lost\n" +
	"- \\*not em\\* and \\[brackets\\]\n" +
	"- > quoted line\n" +
	"- ***\n" +
	"- 1. numbered text\n" +
	"- two trailing blanks  \n" +
	"- *emph* and _under_ and **strong**\n" +
	"- | a | b |\n" +
	"- ```js\n  let a = 1 < 2;\n  ```\n"

// truthDocument has it in paragraphs.
const truthDocument = "A paragraph &lt;with&gt; entities\nand a soft  \nbreak\n\n" +
	"[x]: http://example.org/lost\n\n" +
	"Setext title\n============\n\n" +
	"> a quote\n\n" +
	"---\n\n" +
	"1. first\n2. second\n\n" +
	"~~~\ncode\n~~~\n\n" +
	"| a | b |\n|---|---|\n| 1 | 2 |\n\n" +
	"<div>html block</div>\n"

// truthPlain has nothing special.
const truthPlain = "- fresh one\n  - fresh below\n- fresh two\n- fresh three\n"

// truthLiteral is a text that is to be stored as it is.
const truthLiteral = " lead and\ttab\u00a0and nbsp trail  "

// truthContent is the page Alpha with one line changed, one new, one moved, one gone, and
// one that stays below another though what it was below goes.
const truthContent = "- Intro with [[Beta]] and #Gamma\n  - below one\n    - deep ((afive0001))\n- Section changed\n  - under section two\n  - under section one\n" +
	"- {{[[TODO]]}} buy milk\n- Status:: open\n- entirely new\n  - new below\n- plain five\n  - six child\n- plain seven\n"

// truthScenarios lists the calls of a profile.
func truthScenarios(profile string) []truthScenario {
	switch profile {
	case roam.Name:
		return slices.Concat(roamCreations(), roamChanges(), roamPages(), roamOthers())
	case graph.Name:
		return graphScenarios()
	case notes.Name:
		return notesScenarios()
	case outline.Name:
		return slices.Concat(outlinePageScenarios(), outlineBlockScenarios())
	case wiki.Name:
		return wikiScenarios()
	}
	return nil
}

func roamCreations() []truthScenario {
	return []truthScenario{
		{tool: "create_page", name: "plain", args: fieldsOf("title", "Fresh page", "markdown", truthPlain)},
		{tool: "create_page", name: "bullets", args: fieldsOf("title", "Fresh page", "markdown", truthBullets)},
		{tool: "create_page", name: "document", args: fieldsOf("title", "Fresh page", "markdown", truthDocument)},
		{tool: "create_page", name: "without content", args: fieldsOf("title", "Fresh page")},
		{tool: "create_page", name: "taken", args: fieldsOf("title", "Alpha", "markdown", truthPlain)},
		{tool: "create_page", name: "mentioned", args: fieldsOf("title", "Stub", "markdown", truthPlain)},
		{tool: "create_block", name: "plain", args: fieldsOf("parentUid", "asix00001", "markdown", truthPlain)},
		{tool: "create_block", name: "bullets", args: fieldsOf("parentUid", "asix00001", "markdown", truthBullets, "order", 0)},
		{tool: "create_block", name: "document", args: fieldsOf("parentUid", "asix00001", "markdown", truthDocument)},
		{tool: "create_block", name: "at a place", args: fieldsOf("parentUid", "alpha0001", "markdown", "- placed", "order", 2)},
		{tool: "create_block", name: "on a new page", args: fieldsOf("pageTitle", "Fresh page", "markdown", truthPlain)},
		{tool: "create_block", name: "nested", args: fieldsOf("pageTitle", "Alpha", "markdown", truthPlain, "nestUnder", "Section")},
		{tool: "create_block", name: "below nothing", args: fieldsOf("parentUid", "missing01", "markdown", truthPlain)},
		{tool: "append_to_daily_note", name: "plain", args: fieldsOf("markdown", truthPlain)},
		{tool: "append_to_daily_note", name: "bullets nested", args: fieldsOf("markdown", truthBullets, "nestUnder", "Log")},
		{tool: "add_comment", name: "text", args: fieldsOf("blockUid", "afive0001", "comment", "my comment")},
		{tool: "add_comment", name: "bullets", args: fieldsOf("blockUid", "afive0001", "commentMarkdown", truthBullets)},
	}
}

func roamChanges() []truthScenario {
	return []truthScenario{
		{tool: "update_block", name: "text", args: fieldsOf("uid", "afive0001", "string", "five changed")},
		{tool: "update_block", name: "literal text", args: fieldsOf("uid", "afive0001", "string", truthLiteral)},
		{tool: "update_block", name: "lines", args: fieldsOf("uid", "afive0001", "string", "one\r\ntwo")},
		{tool: "update_block", name: "find", args: fieldsOf("uid", "aintro001", "find", "Intro", "replace", "Outro")},
		{tool: "update_block", name: "look", args: fieldsOf("uid", "asect0001", "heading", 3, "open", false)},
		{tool: "update_block", name: "missing", args: fieldsOf("uid", "missing01", "string", "x")},
		{tool: "update_blocks", name: "two", args: fieldsOf("updates", []any{fieldsOf("uid", "afive0001", "string", "five changed"), fieldsOf("uid", "asix00001", "string", "six changed")})},
		{tool: "update_blocks", name: "one missing", args: fieldsOf("updates", []any{fieldsOf("uid", "afive0001", "string", "five changed"), fieldsOf("uid", "missing01", "string", "x")})},
		{tool: "move_block", name: "to another parent", args: fieldsOf("uid", "afive0001", "parentUid", "asect0001", "order", 1)},
		{tool: "move_block", name: "down", args: fieldsOf("uid", "asect0001", "parentUid", "alpha0001", "order", 4)},
		{tool: "move_block", name: "up", args: fieldsOf("uid", "asix00001", "parentUid", "alpha0001", "order", 1)},
		{tool: "move_block", name: "beyond the end", args: fieldsOf("uid", "asect0001", "parentUid", "alpha0001", "order", 70)},
		{tool: "move_block", name: "below nothing", args: fieldsOf("uid", "afive0001", "parentUid", "missing01", "order", "last")},
		{tool: "move_block", name: "missing", args: fieldsOf("uid", "missing01", "parentUid", "alpha0001", "order", "last")},
		{tool: "move_blocks", name: "all of their parent", args: fieldsOf("parentUid", "alpha0001", "uids", []string{"aseven001", "asix00001", "afive0001", "astat0001", "atodo0001", "asect0001", "aintro001"})},
		{tool: "move_blocks", name: "to the start of their parent", args: fieldsOf("parentUid", "alpha0001", "uids", []string{"aseven001", "asix00001"}, "order", "first")},
		{tool: "move_blocks", name: "to another parent", args: fieldsOf("parentUid", "asect0001", "uids", []string{"aseven001", "afive0001"}, "order", 1)},
		{tool: "delete_block", name: "with children", args: fieldsOf("uid", "asix00001")},
		{tool: "delete_block", name: "referred to", args: fieldsOf("uid", "afive0001")},
		{tool: "delete_block", name: "missing", args: fieldsOf("uid", "missing01")},
		{tool: "delete_blocks", name: "two", args: fieldsOf("uids", []string{"asix00001", "atodo0001"})},
		{tool: "delete_blocks", name: "one missing", args: fieldsOf("uids", []string{"asix00001", "missing01"})},
	}
}

func roamPages() []truthScenario {
	return []truthScenario{
		{tool: "update_page", name: "title", args: fieldsOf("uid", "beta00001", "title", "Beta renamed")},
		{tool: "update_page", name: "taken", args: fieldsOf("uid", "beta00001", "title", "Alpha")},
		{tool: "update_page", name: "merge", args: fieldsOf("uid", "proj00001", "title", "Alpha", "mergePages", true)},
		{tool: "update_page", name: "view", args: fieldsOf("uid", "beta00001", "childrenViewType", "numbered")},
		{tool: "update_page", name: "missing", args: fieldsOf("uid", "missing01", "title", "x")},
		{tool: "delete_page", name: "linked", args: fieldsOf("uid", "beta00001")},
		{tool: "delete_page", name: "missing", args: fieldsOf("uid", "missing01")},
		{tool: "delete_page", name: "large", args: fieldsOf("uid", "large0001"), large: true},
		{tool: "add_shortcut", name: "first", args: fieldsOf("uid", "alpha0001", "index", 0)},
		{tool: "remove_shortcut", name: "one", args: fieldsOf("uid", "beta00001")},
	}
}

// roamOthers write what is no page and no block.
func roamOthers() []truthScenario {
	upload := fieldsOf("base64", "RmxvdXI=", "filename", "flour.txt")
	return []truthScenario{
		{tool: "file_upload", name: "text", args: upload},
		{tool: "file_delete", name: "text", args: fieldsOf("url", truthFound{`https://[^"\s]+`, 0}), first: []truthCall{{"file_upload", upload}}},
		{tool: "call_extension_tool", name: "a card", args: fieldsOf("tool", "cards/make", "args", fieldsOf("front", "rye"))},
	}
}

func graphScenarios() []truthScenario {
	read := []truthCall{{"get_node", fieldsOf("id", "Alpha")}}
	return []truthScenario{
		{tool: "create_node", name: "plain", args: fieldsOf("title", "Fresh page", "content", truthPlain, "tags", []string{"red", "two words"})},
		{tool: "create_node", name: "bullets", args: fieldsOf("title", "Fresh page", "content", truthBullets)},
		{tool: "create_node", name: "document", args: fieldsOf("title", "Fresh page", "content", truthDocument)},
		{tool: "create_node", name: "taken", args: fieldsOf("title", "Alpha", "content", truthPlain)},
		{tool: "create_node", name: "mentioned", args: fieldsOf("title", "Stub", "content", truthPlain)},
		{tool: "update_node", name: "content", args: fieldsOf("id", "Alpha", "content", truthContent), first: read},
		{tool: "update_node", name: "new content", args: fieldsOf("id", "Alpha", "content", truthPlain), first: read},
		{tool: "update_node", name: "bullets", args: fieldsOf("id", "Alpha", "content", truthBullets), first: read},
		{tool: "update_node", name: "title and tags", args: fieldsOf("id", "Alpha", "title", "Alpha renamed", "tags", []string{"red"}), first: read},
		{tool: "delete_node", name: "linked", args: fieldsOf("id", "Beta")},
		{tool: "delete_node", name: "large", args: fieldsOf("id", "Large"), large: true},
	}
}

func notesScenarios() []truthScenario {
	read := []truthCall{{"get_note", fieldsOf("id", "alpha0001")}}
	return []truthScenario{
		{tool: "create_note", name: "plain", args: fieldsOf("title", "Fresh page", "content", truthPlain, "labels", []string{"red"}, "color", "blue", "isPinned", true)},
		{tool: "create_note", name: "bullets", args: fieldsOf("title", "Fresh page", "content", truthBullets)},
		{tool: "create_note", name: "document", args: fieldsOf("title", "Fresh page", "content", truthDocument)},
		{tool: "create_note", name: "quick", args: fieldsOf("content", truthPlain)},
		{tool: "create_note", name: "quick bullets", args: fieldsOf("content", truthBullets)},
		{tool: "create_note", name: "taken", args: fieldsOf("title", "Alpha", "content", truthPlain)},
		{tool: "create_note", name: "mentioned", args: fieldsOf("title", "Stub", "content", truthPlain)},
		{tool: "create_note", name: "checklist", args: fieldsOf("title", "Fresh page", "content", "", "type", "checklist", "checkItems", []any{fieldsOf("text", "item &amp; one", "checked", false), fieldsOf("text", "item two", "checked", true)})},
		{tool: "update_note", name: "content", args: fieldsOf("id", "alpha0001", "content", truthContent), first: read},
		{tool: "update_note", name: "new content", args: fieldsOf("id", "alpha0001", "content", truthPlain), first: read},
		{tool: "update_note", name: "bullets", args: fieldsOf("id", "alpha0001", "content", truthBullets), first: read},
		{tool: "update_note", name: "title and color", args: fieldsOf("id", "beta00001", "title", "Beta renamed", "color", "red"), first: read},
		{tool: "delete_note", name: "linked", args: fieldsOf("id", "beta00001")},
		{tool: "delete_note", name: "large", args: fieldsOf("id", "large0001"), large: true},
		{tool: "toggle_pin", name: "on", args: fieldsOf("id", "alpha0001")},
		{tool: "toggle_archive", name: "on", args: fieldsOf("id", "alpha0001")},
	}
}

func outlinePageScenarios() []truthScenario {
	set := fieldsOf("Status", "open", "Left", "done  ")
	return []truthScenario{
		{tool: "create_page", name: "plain", args: fieldsOf("title", "Fresh page", "content", truthPlain, "properties", set)},
		{tool: "create_page", name: "bullets", args: fieldsOf("title", "Fresh page", "content", truthBullets)},
		{tool: "create_page", name: "document", args: fieldsOf("title", "Fresh page", "content", truthDocument)},
		{tool: "create_page", name: "an empty block", args: fieldsOf("title", "Fresh page", "create_first_block", true)},
		{tool: "create_page", name: "taken", args: fieldsOf("title", "Alpha", "content", truthPlain)},
		{tool: "update_page", name: "plain", args: fieldsOf("page_name", "Alpha", "content_append", truthPlain, "properties", fieldsOf("Status", "closed"))},
		{tool: "update_page", name: "bullets", args: fieldsOf("page_name", "Alpha", "content_append", truthBullets)},
		{tool: "update_page", name: "a property goes", args: fieldsOf("page_name", "Alpha", "properties", fieldsOf("Status", nil))},
		{tool: "delete_page", name: "linked", args: fieldsOf("page_name", "Beta", "force", true)},
		{tool: "delete_page", name: "large", args: fieldsOf("page_name", "Large"), large: true},
	}
}

func outlineBlockScenarios() []truthScenario {
	return []truthScenario{
		{tool: "create_block", name: "last", args: fieldsOf("parent_block_uuid", "asect0001", "content", "fresh block")},
		{tool: "create_block", name: "literal text", args: fieldsOf("parent_block_uuid", "asect0001", "content", truthLiteral)},
		{tool: "create_block", name: "beside another", args: fieldsOf("sibling_block_uuid", "asect0001", "position", "after", "content", "fresh block", "properties", fieldsOf("Status", "open"))},
		{tool: "create_block", name: "on a new page", args: fieldsOf("page_name", "Fresh page", "content", "fresh block")},
		{tool: "create_block", name: "below nothing", args: fieldsOf("parent_block_uuid", "missing01", "content", "fresh block")},
		{tool: "update_block", name: "text", args: fieldsOf("block_uuid", "afive0001", "content", "five changed", "properties", fieldsOf("Status", "open"))},
		{tool: "update_block", name: "literal text", args: fieldsOf("block_uuid", "afive0001", "content", truthLiteral)},
		{tool: "update_block", name: "missing", args: fieldsOf("block_uuid", "missing01", "content", "x")},
		{tool: "delete_block", name: "with children", args: fieldsOf("block_uuid", "asix00001", "recursive", true)},
		{tool: "delete_block", name: "missing", args: fieldsOf("block_uuid", "missing01")},
		{tool: "move_block", name: "to another parent", args: fieldsOf("block_uuid", "afive0001", "target_parent_uuid", "asect0001", "position", "first")},
		{tool: "move_block", name: "down", args: fieldsOf("block_uuid", "asect0001", "sibling_block_uuid", "asix00001", "position", "before")},
		{tool: "move_block", name: "up", args: fieldsOf("block_uuid", "asix00001", "sibling_block_uuid", "asect0001", "position", "before")},
		{tool: "move_block", name: "missing", args: fieldsOf("block_uuid", "missing01", "target_parent_uuid", "asect0001")},
	}
}

func wikiScenarios() []truthScenario {
	read := []truthCall{{"get_note", fieldsOf("path", "Alpha")}}
	changed := append(read[:1:1], truthCall{"update_note", fieldsOf("path", "Alpha", "content", truthPlain)}, truthCall{"get_note_history", fieldsOf("path", "Alpha")})
	return []truthScenario{
		{tool: "create_note", name: "plain", args: fieldsOf("path", "Fresh page", "title", "Fresh title", "content", truthPlain, "tags", []string{"red"})},
		{tool: "create_note", name: "bullets", args: fieldsOf("path", "Fresh page", "title", "", "content", truthBullets)},
		{tool: "create_note", name: "document", args: fieldsOf("path", "deep/Fresh page", "title", "", "content", truthDocument)},
		{tool: "create_note", name: "taken", args: fieldsOf("path", "Alpha", "title", "", "content", truthPlain)},
		{tool: "create_note", name: "mentioned", args: fieldsOf("path", "Stub", "title", "", "content", truthPlain)},
		{tool: "update_note", name: "content", args: fieldsOf("path", "Alpha", "content", truthContent), first: read},
		{tool: "update_note", name: "new content", args: fieldsOf("path", "Alpha", "content", truthPlain), first: read},
		{tool: "update_note", name: "bullets", args: fieldsOf("path", "Alpha", "content", truthBullets), first: read},
		{tool: "update_note", name: "path and tags", args: fieldsOf("path", "Alpha", "new_path", "Archive/Alpha", "add_tags", []string{"red"}), first: read},
		{tool: "delete_note", name: "linked", args: fieldsOf("path", "Beta")},
		{tool: "delete_note", name: "large", args: fieldsOf("path", "Large"), large: true},
		{tool: "edit_note", name: "large", args: fieldsOf("path", "Large", "append", "- behind all"), large: true},
		{tool: "restore_note_version", name: "the first", args: fieldsOf("path", "Alpha", "version", truthFound{`\b[0-9a-f]{7}\b`, 1}), first: changed},
		{tool: "edit_note", name: "append", args: fieldsOf("path", "Alpha", "append", truthPlain)},
		{tool: "edit_note", name: "append bullets", args: fieldsOf("path", "Alpha", "append", truthBullets)},
		{tool: "edit_note", name: "find", args: fieldsOf("path", "Alpha", "find", "plain five", "replace", "five changed")},
	}
}

// fieldsOf returns an object of names and values in turn.
func fieldsOf(pairs ...any) map[string]any {
	fields := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i].(string)] = pairs[i+1]
	}
	return fields
}
