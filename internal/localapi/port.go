package localapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"roam-mcp/internal/files"
)

const (
	// PortFileName is the file in the home folder in which Roam writes its port.
	PortFileName = ".roam-local-api.json"
	// DefaultPort is where Roam listens unless the port is taken.
	DefaultPort = 3333

	maxPortFile = 64 << 10
)

// PortFile tells how Roam's port is found out.
type PortFile struct {
	// Path of the port file; see PortFileName.
	Path string
	// Strict means that without a readable port file there is no Roam. The
	// sandbox's world is strict, so that it never reaches the real Roam on the
	// default port. Otherwise DefaultPort is tried.
	Strict bool
}

// Read gives the port, 1 to 65535. A file that is absent, unreadable or makes
// no sense counts as none (LOCAL_API.md 1.2); the error then says why, and the
// port is DefaultPort, or 0 where Strict.
func (f PortFile) Read() (int, error) {
	port, _, err := readPort(f.Path)
	return f.otherwise(port, err)
}

// otherwise returns the port where a port file can't be read.
func (f PortFile) otherwise(port int, err error) (int, error) {
	switch {
	case err == nil:
		return port, nil
	case f.Strict:
		return 0, err
	}
	return DefaultPort, err
}

func readPort(path string) (int, files.State, error) {
	if path == "" {
		return 0, files.State{}, errors.New("no port file is named")
	}
	file, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, files.State{}, fmt.Errorf("%s is not there", path)
	}
	if err != nil {
		return 0, files.State{}, fmt.Errorf("read the port file: %w", err)
	}
	defer file.Close()
	state, err := files.StateOf(file)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(file, maxPortFile))
	}
	if err != nil {
		return 0, files.State{}, fmt.Errorf("read the port file: %w", err)
	}
	port, err := ParsePort(data)
	return port, state, err
}

// cachedPort is a port file that is read only if it may have changed.
type cachedPort struct {
	file PortFile

	mu    sync.Mutex
	port  int
	state files.State
}

// read is PortFile.Read.
func (c *cachedPort) read() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.IsOf(c.file.Path) {
		return c.port, nil
	}
	port, state, err := readPort(c.file.Path)
	if err == nil {
		c.port, c.state = port, state
	}
	return c.file.otherwise(port, err)
}

// ParsePort reads the content of a port file: {"port": 3333}. Only that key
// matters.
func ParsePort(data []byte) (int, error) {
	var content struct {
		Port *int `json:"port"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return 0, fmt.Errorf("the port file is not understood: %w", err)
	}
	if content.Port == nil {
		return 0, errors.New("the port file names no port")
	}
	if *content.Port < 1 || *content.Port > 65535 {
		return 0, fmt.Errorf("the port file names the port %d, which can't be", *content.Port)
	}
	return *content.Port, nil
}
