package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file of an archive.
type file struct {
	name string // with slashes
	data []byte
	runs bool // it is a program
}

func (f file) mode() os.FileMode {
	if f.runs {
		return 0o755
	}
	return 0o644
}

// archive writes the archive of a target: zip for Windows, tar.gz elsewhere.
func (r *release) archive(t target, documents []file) error {
	program, err := os.ReadFile(r.program(t))
	if err != nil {
		return err
	}
	files := append([]file{{name: programName(t.goos), data: program, runs: true}}, documents...)
	name := fmt.Sprintf("roam-mcp_%s_%s_%s", r.version, t.goos, t.goarch)
	if t.goos == "windows" {
		data, err := zipped(files, r.stamp)
		if err != nil {
			return err
		}
		return r.publish(name+".zip", data)
	}
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	data, err := tarred(files, r.stamp)
	if err != nil {
		return err
	}
	return r.publish(name+".tar.gz", data)
}

func tarred(files []file, at stamp) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode()), ModTime: at.Time, Format: tar.FormatPAX,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func zipped(files []file, at stamp) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.Time}
		header.SetMode(f.mode())
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// publish writes a file of the release, and notes its sum.
func (r *release) publish(name string, data []byte) error {
	r.sums[name] = fmt.Sprintf("%x", sha256.Sum256(data))
	fmt.Printf("%s  %d bytes\n", name, len(data))
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// writeSums writes SHA256SUMS, which sha256sum --check reads.
func (r *release) writeSums() error {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(&out, "%s  %s\n", r.sums[name], name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(out.String()), 0o644)
}
