package activity

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"roam-mcp/internal/files"
)

const (
	// batchInterval is how long starts and ends of calls are gathered before they are
	// written. A call that has ended by then takes one line.
	batchInterval = 100 * time.Millisecond
	// eventBuffer is how many events may come while lines are being written.
	eventBuffer = 1024
	// mostBytes is the size from which a file is cut, to its last keptCalls.
	mostBytes = 256 << 10
	keptCalls = 300
	// longestFile is the size up to which a file is read.
	longestFile = 2 << 20
)

// Follow announces a server that lives in this process, and writes down its clients and its
// calls. It returns at once: the file is made in the background. ID, PID, Started, Ended,
// Alive, Clients and Lost of the server are set here. stop ends that once the calls which
// have ended are written; a server that nobody called leaves no file.
func (l *Log) Follow(server Server, monitor *Monitor) (id string, stop func()) {
	now := time.Now()
	server.ID, server.PID, server.Started = newID(now), os.Getpid(), now
	server.Ended, server.Alive, server.Clients, server.Lost = time.Time{}, false, nil, 0
	w := &writer{
		log: l, server: server, heard: make(chan Client, mostServerClients),
		sub: monitor.Subscribe(SubscribeOptions{Buffer: eventBuffer}), ended: make(chan struct{}),
		clients: map[string]ServerClient{}, pending: map[uint64]Event{},
	}
	forget := monitor.OnClient(func(c Client) {
		select {
		case w.heard <- c:
		default: // it is heard of again with its first call
		}
	})
	go w.run()
	return server.ID, func() {
		forget()
		w.sub.Close()
		<-w.ended
	}
}

// newID returns a name for a file that no other server has. Later ones sort behind
// earlier ones.
func newID(now time.Time) string {
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%011x%x", now.UnixMilli(), random)
}

// writer writes the file of one server.
type writer struct {
	log    *Log
	server Server
	sub    *Subscription
	heard  chan Client
	ended  chan struct{}

	clients map[string]ServerClient
	changed []string         // names of clients, to be written
	pending map[uint64]Event // the latest of each call, to be written
	order   []uint64         // in which they are
	lost    uint64           // as last written
	calls   int              // written

	lock   *flock.Flock
	file   *os.File // nil: nothing can be written
	size   int64
	failed bool
}

func (w *writer) run() {
	defer close(w.ended)
	batch := time.NewTimer(batchInterval)
	defer batch.Stop()
	waiting := true // for batch
	for {
		select {
		case event, open := <-w.sub.Events():
			if !open {
				w.end()
				return
			}
			w.note(event)
		case client := <-w.heard:
			w.hear(client)
		case <-batch.C:
			waiting = false
			w.write()
			continue
		}
		if !waiting {
			waiting = true
			batch.Reset(batchInterval)
		}
	}
}

func (w *writer) note(event Event) {
	if _, there := w.pending[event.Call]; !there {
		w.order = append(w.order, event.Call)
	}
	w.pending[event.Call] = event
	if event.Ended {
		client := w.clients[event.Client]
		client.Name, client.Last = event.Client, event.At.Add(-event.Took)
		client.Calls++
		w.keep(client)
	}
}

func (w *writer) hear(c Client) {
	client := w.clients[c.Name]
	client.Name, client.Version, client.Last = c.Name, c.Version, c.LastHeard
	w.keep(client)
}

// keep notes that a client is to be written. Beyond mostClients further names are not.
func (w *writer) keep(client ServerClient) {
	if _, known := w.clients[client.Name]; !known && len(w.clients) >= mostServerClients {
		return
	}
	w.clients[client.Name] = client
	if !slices.Contains(w.changed, client.Name) {
		w.changed = append(w.changed, client.Name)
	}
}

// write writes what has come since the last time.
func (w *writer) write() {
	if err := w.open(); err != nil {
		w.complain(err)
	}
	var lines []byte
	for _, name := range w.changed {
		lines = append(lines, encode(lineOfClient(w.clients[name]))...)
	}
	for _, number := range w.order {
		lines = append(lines, encode(lineOfCall(w.pending[number]))...)
	}
	if lost := w.sub.Dropped(); lost > w.lost {
		w.lost = lost
		lines = append(lines, encode(line{Lost: lost})...)
	}
	w.calls += len(w.order)
	w.changed, w.order = w.changed[:0], w.order[:0]
	clear(w.pending)
	w.append(lines)
}

func (w *writer) append(lines []byte) {
	if w.file == nil || len(lines) == 0 {
		return
	}
	n, err := w.file.Write(lines) // one call, so that lines of two never mix
	if w.size += int64(n); err != nil {
		w.complain(err)
	}
	if w.size > mostBytes {
		if err := w.cut(); err != nil {
			w.complain(err)
		}
	}
}

// complain tells the log of the first failure, without a path of a graph or a text.
func (w *writer) complain(err error) {
	if !w.failed {
		w.failed = true
		w.log.log.Warn("the calls of this server can't be shown to other programs", "error", err)
	}
}

// open makes the folder, the lock and the file, the first time.
func (w *writer) open() error {
	if w.lock != nil || w.failed {
		return nil
	}
	if err := w.log.makeFolder(); err != nil {
		return err
	}
	lock, err := files.Lock(w.log.lockPath(w.server.ID))
	if err != nil {
		return err
	}
	if held, err := lock.TryLock(); err != nil || !held {
		return errors.Join(err, lock.Close(), fmt.Errorf("lock %s", lock.Path()))
	}
	w.lock = lock
	if w.file, err = files.Append(w.log.path(w.server.ID)); err != nil {
		return err
	}
	w.append(encode(lineOfServer(w.server)))
	w.log.sweep()
	return nil
}

// cut replaces the file by one with its last calls, and those that are running.
func (w *writer) cut() error {
	path := w.log.path(w.server.ID)
	text, err := files.ReadOwn(path, longestFile)
	if err != nil {
		return err
	}
	shorter := encode(lineOfServer(w.server))
	for _, client := range w.clients {
		shorter = append(shorter, encode(lineOfClient(client))...)
	}
	if w.lost > 0 {
		shorter = append(shorter, encode(line{Lost: w.lost})...)
	}
	shorter = append(shorter, lastCalls(text)...)
	_ = w.file.Close()
	w.file = nil
	if err := files.ReplaceAtomically(path, shorter); err != nil {
		return err
	}
	w.file, err = files.Append(path)
	w.size = int64(len(shorter))
	return err
}

// end writes what is left, and frees the lock.
func (w *writer) end() {
	for len(w.heard) > 0 {
		w.hear(<-w.heard)
	}
	if len(w.order) > 0 || w.file != nil {
		w.write()
		w.append(encode(line{Ended: time.Now().UnixMilli()}))
	}
	if w.file != nil {
		_ = w.file.Close()
	}
	if w.lock != nil {
		_ = w.lock.Close()
		_ = os.Remove(w.lock.Path())
	}
	if w.calls == 0 && w.file != nil {
		_ = os.Remove(w.log.path(w.server.ID))
	}
}

const (
	lineSuffix = ".jsonl"
	lockSuffix = ".lock"
)

func (l *Log) path(id string) string     { return filepath.Join(l.folder, id+lineSuffix) }
func (l *Log) lockPath(id string) string { return filepath.Join(l.folder, id+lockSuffix) }

// makeFolder makes the folder, and takes other users' rights from it.
func (l *Log) makeFolder() error {
	if err := os.MkdirAll(l.folder, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(l.folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "use", Path: l.folder, Err: errors.New("it is no folder")}
	case files.HasOtherOwner(info):
		return &fs.PathError{Op: "use", Path: l.folder, Err: errors.New("it belongs to another user")}
	}
	return os.Chmod(l.folder, 0o700)
}
