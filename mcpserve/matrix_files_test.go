package mcpserve

import "roam-mcp/internal/ops"

// filesRows are the tools of the toolset files.
func filesRows() []matrixRow {
	both := place{graphs: []string{"alpha", "beta"}}
	anywhere := place{change: func(o *Options) { o.FilesFrom = []string{"/"} }}
	note := `{"url":"` + fileAt("note.txt") + `"}`
	return []matrixRow{
		{
			tool: "file_get", action: "file.get", args: note,
			wants: []string{`"text":"Knead well.\nBake hot.\n"`, `"mimetype":"text/plain"`, `"filename":"note.txt"`, `"bytes":22`, `"graphName":"alpha"`},
			more:  []matrixCell{{name: "by what shows it in a block", args: `{"url":"![a note](` + fileAt("note.txt") + `)"}`, wants: []string{"Knead well."}}},
			errors: []matrixCell{
				{name: "no such file", args: `{"url":"https://files.sandbox.invalid/hosted/alpha/none/x.txt"}`, code: "NOT_FOUND"},
			},
			bad: map[string]string{`{}`: "url is missing", `{"url":""}`: "url", `{"url":"file:///etc/passwd"}`: "https://", `{"url":"note.txt"}`: "https://", `{"url":"https://user:pass@example.com/x"}`: "https://"},
		},
		{
			tool: "file_upload", action: "file.upload", args: `{"base64":"RmxvdXI=","filename":"flour.txt"}`, lost: lostUnknown,
			wants: []string{`"url":"https://files.sandbox.invalid/hosted/alpha/`, `flour.txt"`, `"mimetype":"text/plain"`, `"bytes":5`}, holds: []string{"Flour", `"flour.txt"`},
			more: []matrixCell{
				{name: "an image", args: `{"base64":"data:image/png;base64,` + onePixel + `"}`, wants: []string{`"embed":"![](https://`, `"url":"https://`, `"mimetype":"image/png"`}, holds: []string{`"image/png"`}},
				{name: "a document", args: `{"base64":"JVBERi0xLjc","filename":"a b.pdf"}`, wants: []string{`"embed":"{{[[pdf]]: https://`, `"url":"https://`}, holds: []string{`"a b.pdf"`}},
				{name: "with a media type that is told", args: `{"base64":"eA==","mimetype":"audio/mpeg","filename":"x.bin"}`, wants: []string{`"embed":"{{[[audio]]: https://`}, holds: []string{`"audio/mpeg"`}},
				{name: "with several graphs", place: both, args: `{"base64":"eA==","graph":"alpha"}`, wants: []string{`"graphName":"alpha"`}, holds: []string{`"text/plain"`}},
			},
			errors: []matrixCell{
				{name: "no such file", place: anywhere, args: `{"filePath":"/nonexistent/file"}`, code: ops.CodeUnavailable, wants: []string{"no such file"}},
				{name: "a folder", place: anywhere, args: `{"filePath":"/"}`, code: ops.CodeNotAllowed},
				{name: "a file of this machine", args: `{"filePath":"/etc/hosts"}`, code: ops.CodeNotAllowed, wants: []string{"--files-from", "base64"}},
				{name: "an address of this machine", args: `{"url":"http://127.0.0.1:3333/"}`, code: ops.CodeNotAllowed},
				{name: "an address of the network", args: `{"url":"http://[fe80::1]/"}`, code: ops.CodeNotAllowed},
				{name: "a token", args: `{"base64":"cm9hbS1ncmFwaC1sb2NhbC10b2tlbi1BQUFBQUFBQUFBQUFBQUFBQUFBQQ=="}`, code: ops.CodeNotAllowed, wants: []string{"token"}},
			},
			bad: map[string]string{
				`{}`: "exactly one", `{"base64":"eA==","url":"https://example.com/x"}`: "exactly one", `{"base64":"%%%"}`: "base64", `{"base64":"data:image/png,x"}`: "base64",
				`{"filePath":"notes.txt"}`: "filePath", `{"url":"ftp://example.com/x"}`: "url", `{"base64":"eA==","mimetype":"picture"}`: "mimetype",
			},
		},
		{
			tool: "file_delete", action: "file.delete", args: note, lost: lostUnknown,
			wants: []string{`"success":true`, `"deleted":true`}, holds: []string{"dot.png"}, lacks: []string{"note.txt"},
			bad: map[string]string{`{}`: "url is missing", `{"url":"nothing"}`: "https://"},
		},
	}
}
