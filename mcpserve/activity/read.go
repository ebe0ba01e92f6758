package activity

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/files"
)

// watchInterval is how often Watch looks.
const watchInterval = 250 * time.Millisecond

// Servers returns the servers of which there are files, by when they started. Files that
// can't be read are left out.
func (l *Log) Servers(ctx context.Context) ([]Server, error) {
	files, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	servers := make([]Server, 0, len(files))
	for _, id := range ids(files) {
		server := files[id].server
		server.ID, server.Alive = id, l.alive(id)
		server.Clients = slices.Clone(server.Clients)
		servers = append(servers, server)
	}
	return servers, nil
}

// Calls returns the newest calls of all servers, limit at the most, in the order in which
// they started.
func (l *Log) Calls(ctx context.Context, limit int) ([]LoggedCall, error) {
	files, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	var calls []LoggedCall
	for _, id := range ids(files) {
		for _, call := range files[id].calls[max(len(files[id].calls)-limit, 0):] {
			call.Server = id
			calls = append(calls, call)
		}
	}
	slices.SortStableFunc(calls, func(a, b LoggedCall) int { return a.At.Compare(b.At) })
	return slices.Clone(calls[max(len(calls)-limit, 0):]), nil
}

// LastCall returns the newest call that has ended of a client with one of these names,
// whatever their case, or of any client where none is given. Servers that have ended count.
func (l *Log) LastCall(clients ...string) (last LoggedCall, found bool) {
	files, err := l.read(context.Background())
	if err != nil {
		return LoggedCall{}, false
	}
	for id, f := range files {
		for _, call := range f.calls {
			of := len(clients) == 0 || slices.ContainsFunc(clients, func(name string) bool { return strings.EqualFold(name, call.Client) })
			if of && call.Ended && (!found || !call.At.Before(last.At)) {
				last, found = call, true
				last.Server = id
			}
		}
	}
	return last, found
}

// Watch sends after every change of the files, and after a server began or ended, until
// ctx ends. Changes that follow each other closely may be received as one. The channel is
// closed when the context ends.
func (l *Log) Watch(ctx context.Context) <-chan struct{} {
	return files.Poll(ctx, watchInterval, l.glance, slices.Equal[[]fileStamp])
}

// fileStamp is what tells one state of a file from the next.
type fileStamp struct {
	id    string
	size  int64
	at    time.Time
	alive bool
}

func (l *Log) glance() (seen []fileStamp) {
	for _, found := range l.list() {
		found.alive = l.alive(found.id)
		seen = append(seen, found)
	}
	return seen
}

// list returns the files there are, by ID, without whether their servers are alive.
func (l *Log) list() (found []fileStamp) {
	entries, _ := os.ReadDir(l.folder) // none where it can't be read
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), lineSuffix)
		if !ok {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.Size() <= longestFile {
			found = append(found, fileStamp{id: id, size: info.Size(), at: info.ModTime()})
		}
	}
	return found
}

func (l *Log) alive(id string) bool { return files.Held(l.lockPath(id)) }

// read returns what the files say. A file is read again only where it has changed.
func (l *Log) read(ctx context.Context) (map[string]file, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	read := map[string]file{}
	for _, found := range l.list() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, known := l.files[found.id]
		if !known || f.size != found.size || !f.at.Equal(found.at) {
			text, err := files.ReadOwn(l.path(found.id), longestFile)
			if err != nil {
				continue
			}
			f, _ = parseFile(text)
			f.size, f.at = found.size, found.at
		}
		read[found.id] = f
	}
	l.files = read
	known := map[string]file{}
	for id, f := range read {
		if !f.server.Started.IsZero() {
			known[id] = f
		}
	}
	return known, nil
}

// ids returns the IDs of files by when their servers started.
func ids(files map[string]file) []string {
	var list []string
	for id := range files {
		list = append(list, id)
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(files[a].server.Started.Compare(files[b].server.Started), cmp.Compare(a, b))
	})
	return list
}
