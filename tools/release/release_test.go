package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

var commit = stamp{time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)}

func template(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return data
}

// strictly decodes JSON and refuses fields that the value has not.
func strictly(t *testing.T, data []byte, into any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(into))
}

// The fields are those of version 0.3 of the manifest that this project uses.
func TestManifest(t *testing.T) {
	for _, b := range []bundle{{"darwin", "darwin", nil, "darwin"}, {"windows_amd64", "win32", nil, "windows"}, {"linux_arm64", "linux", nil, "linux"}} {
		t.Run(b.name, func(t *testing.T) {
			data, err := manifestFor(template(t, "manifest.json"), b, "1.2.3", "https://github.com/ada/roam-mcp")
			require.NoError(t, err)
			var m struct {
				ManifestVersion string `json:"manifest_version"`
				Name, Version   string
				DisplayName     string `json:"display_name"`
				Description     string
				LongDescription string `json:"long_description"`
				Author          struct{ Name string }
				Repository      struct{ Type, URL string }
				Keywords        []string
				Server          struct {
					Type       string
					EntryPoint string `json:"entry_point"`
					MCPConfig  struct {
						Command string
						Args    []string
						Env     map[string]string
					} `json:"mcp_config"`
				}
				Tools          []tool
				ToolsGenerated bool `json:"tools_generated"`
				Compatibility  struct{ Platforms []string }
				UserConfig     map[string]struct {
					Type, Title, Description string
					Default                  any
				} `json:"user_config"`
			}
			strictly(t, data, &m)
			program := "server/" + programName(b.goos)
			if m.ManifestVersion != "0.3" || m.Version != "1.2.3" || m.Server.Type != "binary" || !slices.Equal(m.Compatibility.Platforms, []string{b.platform}) ||
				m.Server.EntryPoint != program || m.Server.MCPConfig.Command != "${__dirname}/"+program {
				t.Errorf("%s", data)
			}
			for _, arg := range m.Server.MCPConfig.Args[1:] {
				named := regexp.MustCompile(`^--[a-z-]+=\$\{user_config\.(\w+)\}$`).FindStringSubmatch(arg)
				if named == nil || m.UserConfig[named[1]].Default == nil {
					t.Errorf("%s has no value where the user gives none", arg)
				}
			}
			if len(m.Tools) < 10 || !m.ToolsGenerated {
				t.Errorf("the tools are %v", m.Tools)
			}
		})
	}
}

// The fields and limits are those of the registry's schema of 2025-12-11.
func TestServerJSON(t *testing.T) {
	sums := map[string]string{"roam-mcp_1.2.3_darwin.mcpb": strings.Repeat("a", 64), "roam-mcp_1.2.3_linux_amd64.mcpb": strings.Repeat("b", 64)}
	data, err := serverFor(template(t, "server.json"), "1.2.3", "https://github.com/ada/roam-mcp", sums)
	require.NoError(t, err)
	var s struct {
		Schema                            string `json:"$schema"`
		Name, Title, Description, Version string
		Repository                        struct{ URL, Source string }
		Packages                          []struct {
			RegistryType, Identifier, FileSha256 string
			Transport                            struct{ Type string }
		}
	}
	strictly(t, data, &s)
	if s.Name != "io.github.ada/roam-mcp" || s.Version != "1.2.3" || len(s.Description) > 100 || len(s.Title) > 100 || s.Repository.URL != "https://github.com/ada/roam-mcp" {
		t.Errorf("%s", data)
	}
	if len(s.Packages) != 2 || s.Packages[0].Identifier != "https://github.com/ada/roam-mcp/releases/download/v1.2.3/roam-mcp_1.2.3_darwin.mcpb" || s.Packages[0].FileSha256 != sums["roam-mcp_1.2.3_darwin.mcpb"] {
		t.Errorf("the packages are %+v", s.Packages)
	}
	if strings.Contains(string(data), "OWNER") {
		t.Errorf("a placeholder is left: %s", data)
	}
}

func TestArchives(t *testing.T) {
	files := []file{{"roam-mcp", bytes.Repeat([]byte("program"), 1000), true}, {"man/man1/roam-mcp.1", []byte("page"), false}}
	for name, pack := range map[string]func([]file, stamp) ([]byte, error){"tar": tarred, "zip": zipped} {
		t.Run(name+" is the same each time", func(t *testing.T) {
			first, err := pack(files, commit)
			require.NoError(t, err)
			again, err := pack(files, stamp{commit.In(time.FixedZone("elsewhere", 3600)).UTC()})
			require.NoError(t, err)
			if !bytes.Equal(first, again) {
				t.Error("it differs")
			}
		})
	}
	t.Run("keep which file is a program", func(t *testing.T) {
		packed, err := zipped(files, commit)
		require.NoError(t, err)
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		require.NoError(t, err)
		if a, b := archive.File[0].Mode(), archive.File[1].Mode(); a != 0o755 || b != 0o644 {
			t.Errorf("in a zip archive the modes are %v and %v", a, b)
		}
		packed, err = tarred(files, commit)
		require.NoError(t, err)
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		header, err := tar.NewReader(plain).Next()
		if err != nil || header.Mode != 0o755 || header.Uid != 0 || header.Uname != "" || !header.ModTime.Equal(commit.Time) {
			t.Errorf("in a tar archive: %+v, %v", header, err)
		}
	})
}

// machO returns the smallest file that is taken for a program of a processor.
func machO(t *testing.T, cpu macho.Cpu, rest string) []byte {
	t.Helper()
	var out bytes.Buffer
	header := macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: macho.TypeExec}
	require.NoError(t, binary.Write(&out, binary.LittleEndian, header))
	require.NoError(t, binary.Write(&out, binary.LittleEndian, uint32(0)))
	out.WriteString(rest)
	return out.Bytes()
}

func TestUniversal(t *testing.T) {
	intel, arm := machO(t, macho.CpuAmd64, "for Intel"), machO(t, macho.CpuArm64, "for Apple")
	both, err := universal(intel, arm)
	require.NoError(t, err)
	parsed, err := macho.NewFatFile(bytes.NewReader(both))
	require.NoError(t, err)
	for i, want := range [][]byte{intel, arm} {
		arch := parsed.Arches[i]
		got, err := io.ReadAll(io.NewSectionReader(bytes.NewReader(both), int64(arch.Offset), int64(arch.Size)))
		if err != nil || !bytes.Equal(got, want) || arch.Offset%(1<<universalAlign) != 0 {
			t.Errorf("program %d: %v at %d, %v", i, arch.Cpu, arch.Offset, err)
		}
	}
	if _, err := universal([]byte("#!/bin/sh\n")); err == nil {
		t.Error("a script was taken for a program")
	}
}

func TestTheEnvironmentDoesNotChangeABuild(t *testing.T) {
	got := buildEnvironment([]string{"PATH=/bin", "GOFLAGS=-tags=x", "GOAMD64=v3", "GOOS=plan9", "CGO_ENABLED=1"}, target{"linux", "arm64"})
	want := []string{"PATH=/bin", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOOS=linux", "GOARCH=arm64"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrongFlagsAreRefusedBeforeAnythingIsBuilt(t *testing.T) {
	for name, args := range map[string][]string{
		"no version":               nil,
		"a version with a v":       {"-version", "v1.2.3"},
		"a repository elsewhere":   {"-version", "1.2.3", "-repository", "https://example.com/a/b"},
		"a target that is none":    {"-version", "1.2.3", "-only", "plan9/amd64"},
		"a folder that holds some": {"-version", "1.2.3", "-out", "."},
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(t.Context(), args); err == nil {
				t.Error("it was taken")
			}
		})
	}
}
