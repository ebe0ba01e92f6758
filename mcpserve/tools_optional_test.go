package mcpserve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/transport"
)

// all switches every toolset on, with small replies.
func all(o *Options) { o.Toolsets, o.MaxReply = []string{"all"}, 2<<10 }

// fileReply is what Roam answers to file.get.
func fileReply(content []byte, mediaType string) string {
	return fmt.Sprintf(`{"base64":%q,"mimetype":%q,"filename":"x"}`, base64.StdEncoding.EncodeToString(content), mediaType)
}

func TestAnImageIsShownAsOne(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	c := w.connect()
	png, err := base64.StdEncoding.DecodeString(onePixel)
	require.NoError(t, err)
	get := func(content []byte, mediaType string) (*mcp.CallToolResult, map[string]any) {
		t.Helper()
		w.roam.result("file.get", fileReply(content, mediaType))
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "file_get", Arguments: json.RawMessage(`{"url":"https://x.test/f"}`)})
		require.NoError(t, err)
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &fields))
		return result, fields
	}
	// Of the type that its bytes prove, whatever Roam calls it.
	large := append(slices.Clone(png), make([]byte, 100_000)...) // above the text's budget
	for _, content := range [][]byte{png, large} {
		result, fields := get(content, "image/jpeg")
		if len(result.Content) != 2 || fields["graph"] != "Work" || fields["base64"] != nil || fields["bytes"] != float64(len(content)) {
			t.Fatalf("%d contents: %v", len(result.Content), fields)
		}
		if image := result.Content[1].(*mcp.ImageContent); image.MIMEType != "image/png" || !bytes.Equal(image.Data, content) {
			t.Errorf("%s with %d bytes", image.MIMEType, len(image.Data))
		}
	}
	const maxImage = 700 << 10
	result, fields := get(append(slices.Clone(png), make([]byte, maxImage)...), "image/png")
	if note, _ := fields["truncated"].(map[string]any); len(result.Content) != 1 || note["bytesLeft"] != float64(maxImage+len(png)) || fields["base64"] != nil {
		t.Errorf("an image that is too large: %d contents, %v", len(result.Content), fields)
	}
	if result, fields = get([]byte("BMbmp"), "image/bmp"); len(result.Content) != 1 || fields["mimetype"] != "image/bmp" {
		t.Errorf("an image that models can't read: %d contents, %v", len(result.Content), fields)
	}
}

func TestAFileThatIsNoImageComesAsTextOrBase64(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	c := w.connect()
	get := func(content string) toolReply {
		t.Helper()
		w.roam.result("file.get", fileReply([]byte(content), "application/x-thing"))
		return c.call("file_get", `{"url":"{{[[pdf]]: https://x.test/f}}"}`).ok()
	}
	get("a\nb ü").has("text", "a\nb ü")
	get("").has("text", "")
	get("\x00\x01").has("base64", "AAE=")
	get("text\xff").has("base64", base64.StdEncoding.EncodeToString([]byte("text\xff")))
	for name, content := range map[string]string{"lines": strings.Repeat("a line\n", 3000), "one line": strings.Repeat("ü\"", 9000)} {
		reply := get(content)
		text := reply.field("text")
		note, _ := reply.fields["truncated"].(map[string]any)
		if textsafe.CountTokens(reply.text) > 2<<10 || !strings.HasPrefix(content, text) || note["bytesLeft"] != float64(len(content)-len(text)) || textsafe.CountTokens(reply.text) < 600 {
			t.Errorf("%s: %d bytes, %d of text, %v", name, len(reply.text), len(text), note)
		}
	}
	reply := get("\x00" + strings.Repeat("x", 20_000))
	if reply.fields["base64"] != nil || reply.fields["truncated"] == nil || reply.fields["filename"] != "x" {
		t.Errorf("half a file: %.200s", reply.text)
	}
	w.roam.result("file.get", `{"mimetype":"text/plain"}`)
	c.call("file_get", `{"url":"https://x.test/f"}`).fails(localapi.CodeInvalidReply)
	w.roam.result("file.get", `{"base64":"%%"}`)
	c.call("file_get", `{"url":"https://x.test/f"}`).fails(localapi.CodeInvalidReply)
	w.roam.result("file.get", `null`)
	c.call("file_get", `{"url":"https://x.test/f"}`).fails(localapi.CodeInvalidReply)
}

func TestAFileIsUploadedFromPathOrWeb(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	dir := t.TempDir()
	folders, err := ops.OpenFolders([]string{dir}, nil)
	require.NoError(t, err)
	w.server.operations = ops.New(ops.Options{FromWeb: ops.NewWeb(func(netip.Addr) bool { return true }), Folders: folders})
	c := w.connect()
	w.roam.result("file.upload", `"{{[[video]]: https://x.test/f.mp4}}"`)
	path := filepath.Join(dir, "film.mp4")
	require.NoError(t, os.WriteFile(path, []byte("film"), 0o600))
	c.call("file_upload", fmt.Sprintf(`{"filePath":%q}`, path)).ok().
		has("url", "https://x.test/f.mp4").has("embed", "{{[[video]]: https://x.test/f.mp4}}").has("mimetype", "video/mp4").has("bytes", 4.0)
	reached := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hangs" {
			close(reached)
			<-r.Context().Done()
			return
		}
		_, _ = out.Write([]byte("%PDF-1.7"))
	}))
	t.Cleanup(site.Close)
	c.call("file_upload", fmt.Sprintf(`{"url":%q}`, site.URL+"/a.pdf")).ok().has("mimetype", "application/pdf")
	sent := w.roam.requests("file.upload")
	if want := `[{"base64":"JVBERi0xLjc=","filename":"a.pdf","mimetype":"application/pdf"}]`; len(sent) != 2 || string(sent[1].Args) != want {
		t.Errorf("%d requests, the last %s", len(sent), sent[len(sent)-1].Args)
	}
	// A fetch ends with the call, and nothing is uploaded.
	ctx, cancel := context.WithCancel(t.Context())
	tool, _ := w.server.offering.profile.Find("file_upload")
	done := make(chan *mcp.CallToolResult)
	go func() {
		result, _ := w.server.run(ctx, tool, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool.Name, Arguments: json.RawMessage(fmt.Sprintf(`{"url":%q}`, site.URL+"/hangs"))}})
		done <- result
	}()
	<-reached
	cancel()
	newToolReply(t, <-done).fails(localapi.CodeCancelled)
	for _, odd := range []string{`null`, `{}`, `""`, `"![]()"`} {
		w.roam.result("file.upload", odd)
		c.call("file_upload", `{"base64":"eA=="}`).fails(localapi.CodeInvalidReply)
	}
	if n := len(w.roam.requests("file.upload")); n != 6 {
		t.Errorf("%d uploads", n)
	}
}

func TestNoTokenLeavesInAFile(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, configText("Work"), all, func(o *Options) { o.FilesFrom = []string{dir} })
	c := w.connect()
	w.roam.result("file.upload", `"https://x.test/f"`)
	config, err := os.ReadFile(w.path)
	require.NoError(t, err)
	path := filepath.Join(dir, "config.json")
	require.NoError(t, os.WriteFile(path, config, 0o600))
	refused := c.call("file_upload", fmt.Sprintf(`{"filePath":%q}`, path)).fails(ops.CodeNotAllowed)
	if strings.Contains(refused.text, secretOf("Work")) || strings.Contains(w.log.String(), secretOf("Work")) || len(w.roam.requests("file.upload")) > 0 {
		t.Errorf("the configuration was uploaded: %s", refused.text)
	}
	path = filepath.Join(dir, "http-token")
	token, err := transport.LoadOrCreateToken(t.Context(), path)
	require.NoError(t, err)
	refused = c.call("file_upload", fmt.Sprintf(`{"filePath":%q}`, path)).fails(ops.CodeNotAllowed)
	if strings.Contains(refused.text, token.Reveal()) || len(w.roam.requests("file.upload")) > 0 {
		t.Error("the token of the HTTP endpoint was uploaded")
	}
}

func TestManyWindowsAreCutBetweenWindows(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	text := strings.Repeat("é", 2000)
	var panes []string
	for i := range 40 {
		panes = append(panes, fmt.Sprintf(`{"type":"outline","window-id":"w%d","order":%d,"block-uid":"b%d","block-string":%q}`, i, i, i, text))
	}
	w.roam.result("ui.mainWindow.getOpenView", fmt.Sprintf(`{"type":"outline","uid":"m","block-string":%q}`, text))
	w.roam.result("ui.rightSidebar.getWindows", `[`+strings.Join(panes, ",")+`]`)
	w.roam.result("data.ai.getBlock", `{"uid":"m","markdown":"- é"}`)
	reply := w.connect().call("get_open_windows", `{}`).ok()
	main, shown, note := reply.fields["main"].(map[string]any), reply.fields["sidebar"].([]any), reply.fields["truncated"].(map[string]any)
	if main["truncated"] != 1500.0 || main["uid"] != "m" || len([]rune(main["block-string"].(string))) != 500+1 {
		t.Errorf("the main window is %v", main)
	}
	if textsafe.CountTokens(reply.text) > 2<<10 || len(shown) == 0 || note["resultsLeft"] != float64(40-len(shown)) {
		t.Errorf("%d windows in %d bytes: %v", len(shown), len(reply.text), note)
	}
	w.roam.result("ui.getFocusedBlock", `{"block-uid":"b","window-id":"w"}`)
	w.roam.fails("ui.multiselect.getSelected", 200, `{"success":true}`) // undefined
	reply = w.connect().call("get_selection", `{}`).ok()
	if reply.fields["focused"].(map[string]any)["block-uid"] != "b" || len(reply.fields["multiSelected"].([]any)) != 0 {
		t.Errorf("got %s", reply.text)
	}
}

func TestManySuggestionsAreCutBetweenThem(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	var rows, text []string
	for i := range 150 {
		title := fmt.Sprintf("Page number%d", i)
		rows, text = append(rows, fmt.Sprintf(`[%q,"u%d"]`, title, i)), append(text, title)
	}
	w.roam.result("q", `[`+strings.Join(rows, ",")+`]`)
	w.roam.result("data.ai.getPage", fmt.Sprintf(`{"uid":"p","markdown":%s}`, rawjson.Encode("# Long <roam uid=\"p\"/>\n\n- "+strings.Join(text, ", ")+" <roam uid=\"b\"/>\n")))
	reply := w.connect().call("suggest_links", `{"title":"Long","maxResults":200}`).ok().has("total", 150.0)
	shown, note := reply.fields["suggestions"].([]any), reply.fields["truncated"].(map[string]any)
	if textsafe.CountTokens(reply.text) > 2<<10 || len(shown) == 0 || note["resultsLeft"] != float64(150-len(shown)) || !strings.Contains(note["rest"].(string), "suggest_links") {
		t.Errorf("%d suggestions in %d bytes: %v", len(shown), len(reply.text), note)
	}
	w.roam.result("q", `{"odd":1}`)
	w.connect().call("suggest_links", `{"title":"Long"}`).fails(localapi.CodeUnsupportedRoam)
}

func TestSuggestionsCountCharactersOfTheBlockAsItIsRead(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	w.roam.result("q", `[["Äpfel","u1"],["Home","u2"]]`)
	w.roam.result("data.ai.getBlock", `{"uid":"b","path":["Home"],"markdown":"- Ünder ((k4B2xY9pL))<ref>Äpfel</ref> at home: äpfel <roam uid=\"b\" refs=\"1\"/>"}`)
	reply := w.connect().call("suggest_links", `{"uid":"b"}`).ok().has("total", 1.0)
	text := []rune("Ünder ((k4B2xY9pL)) at home: äpfel")
	found := reply.fields["suggestions"].([]any)[0].(map[string]any)
	start, end := int(found["start"].(float64)), int(found["end"].(float64))
	if string(text[start:end]) != "äpfel" || found["link"] != "[äpfel]([[Äpfel]])" || found["pageUid"] != "u1" || found["uid"] != "b" {
		t.Errorf("got %v", found)
	}
}

func TestAnOldBuildWithoutSemanticSearchLeadsToSearch(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	refused := w.connect().call("semantic_search", `{"query":"x"}`).fails(localapi.CodeUnknownAction)
	if refused.failure["suggested_next_tool"] != "search" || refused.failure["httpStatus"] != 404.0 {
		t.Errorf("got %s", refused.text)
	}
}

func TestAnExtensionWhoseReplyIsTooLargeIsNotRunAgain(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	w.roam.result("data.ai.callExtensionTool", fmt.Sprintf(`{"tool":"t","result":{"a":%q}}`, strings.Repeat("x", 20_000)))
	reply := w.connect().call("call_extension_tool", `{"tool":"t"}`).ok()
	if note, _ := reply.fields["truncated"].(map[string]any); note == nil || !strings.Contains(note["rest"].(string), "has run") {
		t.Errorf("got %s", reply.text)
	}
}

func TestGuidelinesPointToExtensionToolsWhereTheyCanBeCalled(t *testing.T) {
	for name, tc := range map[string]struct {
		toolsets []string
		readOnly bool
		want     bool
	}{"switched on": {toolsets: []string{"graphs", "developer"}, want: true}, "switched off": {}, "for reading": {toolsets: []string{"all"}, readOnly: true}} {
		w := newWorld(t, configText("Work"), func(o *Options) { o.Toolsets, o.ReadOnly = tc.toolsets, tc.readOnly })
		w.roam.result(localapi.GuidelinesAction, `{"guidelines":null,"extensionTools":[{"tool":"x/y"}]}`)
		steps := w.connect().call("get_graph_guidelines", `{}`).ok().field("nextSteps")
		if strings.Contains(steps, "call_extension_tool") != tc.want {
			t.Errorf("%s: %s", name, steps)
		}
	}
}

func TestExtraToolsetsAreOffUntilTheyAreNamed(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	for _, each := range roamTools() {
		if slices.Contains([]string{"graphs", "read", "write", "history", "desktop"}, each.Toolset) {
			continue
		}
		refused := c.call(each.Name, `{}`).fails(CodeToolNotOffered)
		if hint := refused.failure["hint"].(string); !strings.HasSuffix(hint, "--toolsets graphs,read,write,history,desktop,"+each.Toolset) {
			t.Errorf("%s: %s", each.Name, hint)
		}
	}
	weak := newWorld(t, strings.ReplaceAll(configText("Work"), `"full"`, `"read-only"`), all)
	names := toolNames(t, weak.connect())
	for name, want := range map[string]bool{
		"open_main_window": true, "open_sidebar": true, "reload_dev_extensions": true, "file_get": true, "suggest_links": true,
		"file_upload": false, "file_delete": false, "call_extension_tool": false,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("with a token for reading %s is offered: %v", name, !want)
		}
	}
}

func TestTheFirstOfTwoActionsThatFailsEndsBoth(t *testing.T) {
	w := newWorld(t, configText("Work"), all)
	hanging := make(chan struct{})
	t.Cleanup(func() { close(hanging) })
	w.roam.on("ui.mainWindow.getOpenView", func(roamRequest) (int, string) { <-hanging; return 200, `{"success":true,"result":{}}` })
	w.roam.fails("ui.rightSidebar.getWindows", 401, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"gone"}}`)
	refused := w.connect().call("get_open_windows", `{}`).fails(localapi.CodeTokenNotFound)
	if !strings.Contains(refused.failure["hint"].(string), "roam-mcp reauth Work") {
		t.Errorf("got %s", refused.text)
	}
}
