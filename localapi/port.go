package localapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"roam-mcp/internal/regularfile"
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
	port, err := readPort(f.Path)
	if err != nil {
		if f.Strict {
			return 0, err
		}
		return DefaultPort, err
	}
	return port, nil
}

func readPort(path string) (int, error) {
	if path == "" {
		return 0, errors.New("no port file is named")
	}
	file, err := regularfile.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("%s is not there", path)
		}
		return 0, fmt.Errorf("read the port file: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPortFile))
	if err != nil {
		return 0, fmt.Errorf("read the port file: %w", err)
	}
	return ParsePort(data)
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
