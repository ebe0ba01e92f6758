package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

const (
	configName   = ".roam-mcp.json"
	officialName = ".roam-tools.json"
)

// dirs is where a command works: the user's own home, or the sandbox's.
type dirs struct {
	home    string // folder of the port file and of the official tools' file
	config  string // path of the configuration
	sandbox bool

	replies, messages *netutil.Memory // for what comes from outside
}

// dirs resolves the global flags.
func (a *app) world() (dirs, error) {
	w, err := a.resolve()
	if err == nil {
		a.hints = w.hints()
		w.replies, w.messages = netutil.NewMemory(0, nil)
	}
	return w, err
}

// resolve returns the world of the global flags. The sandbox's world never names a
// file of the user's own.
func (a *app) resolve() (dirs, error) {
	if a.sandbox {
		if a.config != "" {
			return dirs{}, usageError(errors.New("--sandbox has a configuration of its own, so --config can't be given with it"))
		}
		home := sandboxHome()
		if err := os.MkdirAll(home, 0o700); err != nil {
			return dirs{}, failed("The sandbox's folder can't be made: "+err.Error()+".", problem.Say("Check the rights of that folder."))
		}
		return dirs{home: home, config: filepath.Join(home, configName), sandbox: true}, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return dirs{}, fmt.Errorf("find the home folder: %w", err)
	}
	config := a.config
	if config == "" {
		config = os.Getenv("ROAM_MCP_CONFIG")
	}
	if config == "" {
		return dirs{home: home, config: filepath.Join(home, configName)}, nil
	}
	config, err = expandHome(config)
	return dirs{home: home, config: config}, err
}

// flags are the global flags with which another command works in this world,
// wherever it is started and whatever its environment says.
func (w dirs) flags() []string {
	switch {
	case w.sandbox:
		return []string{"--sandbox"}
	case w.config == filepath.Join(w.home, configName):
		return nil
	}
	config, err := filepath.Abs(w.config)
	if err != nil {
		config = w.config
	}
	return []string{"--config", config}
}

// expandHome expands a leading ~, since MCP clients pass it as it is.
func expandHome(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") && !strings.HasPrefix(path, `~\`) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("expand %s: %w", path, err)
	}
	return filepath.Join(home, path[1:]), nil
}

// load resolves the world and reads its configuration.
func (a *app) load(ctx context.Context) (dirs, *manage.Manager, configstore.Config, error) {
	w, err := a.world()
	if err != nil {
		return dirs{}, nil, configstore.Config{}, err
	}
	graphs := w.graphs()
	config, err := graphs.Load(ctx)
	return w, graphs, config, err
}

// graphs manages the graphs of this world.
func (w dirs) graphs() *manage.Manager {
	return &manage.Manager{
		Store: w.store(), Roam: w.client(),
		Rescue: func(entry configstore.Entry) (string, error) {
			return configstore.WriteRescue(rescueFolder(), entry)
		},
		Encryption: func(ctx context.Context, entry configstore.Entry) (localapi.Encryption, error) {
			return w.client().Encryption(localapi.Expecting(ctx, entry.APIVersion), entry.Graph(), entry.Token)
		},
		Official: func() ([]configstore.Entry, []configstore.Problem, error) {
			return configstore.ReadOfficial(filepath.Join(w.home, officialName))
		},
	}
}

func (w dirs) store() *configstore.Store {
	return configstore.New(w.config)
}

// hints returns the world that hints are read in.
func (w dirs) hints() problem.World {
	hints := problem.World{Flags: w.flags(), Shell: problem.ShellFor(runtime.GOOS, os.Getenv("SHELL")), Key: tui.KeyOf}
	if w.sandbox {
		hints.Roam = "the sandbox"
	}
	return hints
}

// client calls the Roam of this world. In the sandbox's world no port file means
// no Roam: the default port may belong to the real one.
func (w dirs) client() *localapi.Client {
	return localapi.New(localapi.Options{Memory: w.replies, PortFile: localapi.PortFile{
		Path: filepath.Join(w.home, localapi.PortFileName), Strict: w.sandbox,
	}})
}

// hosted makes sure that the world of a command has a Roam, and returns the command's log.
// end ends a sandbox that was started for it.
func (a *app) hosted(ctx context.Context, w dirs) (log *slog.Logger, end func(), err error) {
	if log, err = a.logger(); err != nil {
		return nil, nil, err
	}
	server, err := w.hostSandbox(ctx, log)
	if err != nil {
		return nil, nil, err
	}
	return log, func() {
		if server != nil {
			_ = server.Close(context.WithoutCancel(ctx))
		}
	}, nil
}

// hostSandbox makes sure that the sandbox's world has a Roam. It starts one in this process
// unless one runs already; the server is nil then, and outside the sandbox's world.
func (w dirs) hostSandbox(ctx context.Context, log *slog.Logger) (*sandbox.Server, error) {
	if !w.sandbox {
		return nil, nil
	}
	return sandbox.StartOnce(ctx, sandbox.Options{Home: w.home, Policy: desk.Ask, Log: log})
}
