package history

import (
	"bytes"
	"compress/flate"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"zombiezen.com/go/sqlite"
)

// Bodies are texts: arguments, requests and facts. Each is kept once, deflated, under a
// keyed hash of it, so that a file without texts can't confirm a guessed one (JOURNAL.md,
// The file).

// keyName is the row of meta with the key of the hashes.
const keyName = "key"

// mostBody is the most that a body may hold, in bytes. Larger ones are refused when they
// are written, and not believed when they are read.
const mostBody = 64 << 20

var errTooLarge = errors.New("a text is larger than what the journal keeps")

func makeKey(conn *sqlite.Conn) error {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return run(conn, "INSERT INTO meta (name, value) VALUES (?1, ?2)", keyName, key)
}

func readKey(conn *sqlite.Conn) ([]byte, error) {
	return blob(conn, "SELECT value FROM meta WHERE name = ?1", keyName)
}

// putBody keeps a text in the file that is open for writing, and returns its number, for
// a column that refers to a body; nil for nil.
func (d *database) putBody(content []byte) (any, error) {
	if content == nil {
		return nil, nil
	}
	if len(content) > mostBody {
		return nil, errTooLarge
	}
	hash := hmac.New(sha256.New, d.key)
	hash.Write(content)
	mac := hash.Sum(nil)[:16]
	id, err := number(d.conn, "SELECT id FROM body WHERE mac = ?1", mac)
	if err != nil || id != 0 {
		return id, err
	}
	packed, err := d.packer.deflate(content)
	if err != nil {
		return nil, err
	}
	err = run(d.conn, "INSERT INTO body (mac, size, data) VALUES (?1, ?2, ?3)", mac, len(content), packed)
	return d.conn.LastInsertRowID(), err
}

// getBody returns the text with a number, nil where there is none.
func getBody(conn *sqlite.Conn, id int64) (content []byte, err error) {
	err = rows(conn, "SELECT size, data FROM body WHERE id = ?1", []any{id}, func(row *sqlite.Stmt) error {
		content, err = inflate(column(row, 1), row.ColumnInt64(0))
		return err
	})
	return content, err
}

// packer deflates texts. It keeps its writers, since a new one takes a megabyte.
type packer struct {
	writers sync.Pool // of *flate.Writer
}

func (p *packer) deflate(content []byte) ([]byte, error) {
	var packed bytes.Buffer
	writer, ok := p.writers.Get().(*flate.Writer)
	if !ok {
		var err error
		if writer, err = flate.NewWriter(&packed, flate.BestSpeed); err != nil {
			return nil, err
		}
	}
	defer p.writers.Put(writer)
	writer.Reset(&packed)
	_, err := writer.Write(content)
	err = errors.Join(err, writer.Close())
	return packed.Bytes(), err
}

// inflate refuses what does not have the size that it should.
func inflate(packed []byte, size int64) ([]byte, error) {
	if size < 0 || size > mostBody {
		return nil, errTooLarge
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), size+1))
	if err == nil && int64(len(content)) != size {
		err = fmt.Errorf("a text of %d bytes should have %d", len(content), size)
	}
	return content, err
}
