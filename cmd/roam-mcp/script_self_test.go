package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/mcpserve/activity"
)

// selfCommandsOfScripts are what scripts do about all that the program writes.
func selfCommandsOfScripts() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"leave-fault": leaveFault, "tree": rememberTree, "written-since": writtenSince, "as-before": asBefore, "await-server": awaitServer,
	}
}

// leaveFault leaves the report of a fault, and a granted token that could not be saved.
func leaveFault(ts *testscript.TestScript, _ bool, _ []string) {
	state := filepath.Join(ts.Getenv("XDG_STATE_HOME"), "roam-mcp")
	_, err := writeReport(filepath.Join(state, "reports"), []byte("a fault\n"))
	ts.Check(err)
	token, err := localapi.ParseToken("roam-graph-local-token-fffffffffffffffffffffffffffff")
	ts.Check(err)
	graph := localapi.Graph{Name: "lost-notes", Type: localapi.Hosted}
	_, err = configstore.WriteRescue(filepath.Join(state, "rescued"), configstore.Entry{
		Name: graph.Name, Type: graph.Type, Nickname: "Lost", Token: token, AccessLevel: localapi.Full})
	ts.Check(err)
}

// rememberTree NAME remembers all that is in the home folder.
func rememberTree(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv("TREE_"+args[0], string(encoded(ts, treeOf(ts))))
}

func encoded(ts *testscript.TestScript, tree map[string]string) []byte {
	data, err := json.Marshal(tree)
	ts.Check(err)
	return data
}

func remembered(ts *testscript.TestScript, name string) (tree map[string]string) {
	ts.Check(json.Unmarshal([]byte(ts.Getenv("TREE_"+name)), &tree))
	return tree
}

// treeOf returns what is in the home folder: the sums of files, and folders, by path.
func treeOf(ts *testscript.TestScript) map[string]string {
	tree := map[string]string{}
	ts.Check(filepath.WalkDir(ts.Getenv("HOME"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a process that ends has taken it away
		}
		if err != nil {
			return err
		}
		if tree[path] = "folder"; !entry.IsDir() {
			tree[path] = install.SumOf(path)
		}
		return nil
	}))
	return tree
}

// changed lists the paths at which two trees differ.
func changed(before, after map[string]string) (paths []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for path := range all {
		if before[path] != after[path] {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// writtenSince NAME wants each file that was written since a tree was remembered to be in the list of
// "self files", or below a folder of it, and each path of the list to be one that was written,
// but for those given, which are not there or were there before.
func writtenSince(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("roam-mcp", "self", "files", "--json"))
	var listed struct {
		Files []ownFile `json:"files"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &listed))
	now := treeOf(ts)
	written := map[string]bool{}
	for _, path := range changed(remembered(ts, args[0]), now) {
		if now[path] == "folder" {
			continue
		}
		i := slices.IndexFunc(listed.Files, func(f ownFile) bool {
			return f.Path == path || strings.HasPrefix(path, f.Path+"/")
		})
		if i < 0 {
			ts.Fatalf("%s was written, and self files does not list it", path)
		}
		written[listed.Files[i].Path] = true
	}
	for _, f := range listed.Files {
		if !written[f.Path] && !slices.Contains(args[1:], f.Name) {
			ts.Fatalf("%s (%s) is listed, and was not written", f.Name, f.Path)
		}
	}
}

// asBefore NAME [PATH…] wants all to be as it was when a tree was remembered, but for the paths.
func asBefore(ts *testscript.TestScript, _ bool, args []string) {
	for _, path := range changed(remembered(ts, args[0]), treeOf(ts)) {
		if !slices.ContainsFunc(args[1:], func(named string) bool { return ts.MkAbs(named) == path }) {
			ts.Fatalf("%s is not as it was", path)
		}
	}
}

// awaitServer waits until a server is listed as one that runs.
func awaitServer(ts *testscript.TestScript, _ bool, _ []string) {
	log := activity.OpenLog(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "roam-mcp", "activity"), slog.New(slog.DiscardHandler))
	poll(ts, func() error {
		running, err := runningServers(context.Background(), log)
		if err == nil && len(running) == 0 {
			err = errors.New("no server runs")
		}
		return err
	})
}
