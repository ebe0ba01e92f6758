package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
)

// doctorPorts are what the checks of this world look at. done closes what was opened.
func (w dirs) doctorPorts(ctx context.Context, log *slog.Logger) (ports doctor.Ports, done func()) {
	journal, client := w.journal(ctx, history.KindCLI, log), w.client()
	machine, _, machineErr := thisMachine()
	home, _ := os.UserHomeDir() // world has told where there is none
	ports = doctor.Ports{
		Home: home, Sandbox: w.sandbox,
		PortFile: localapi.PortFile{Path: filepath.Join(w.home, localapi.PortFileName), Strict: w.sandbox},
		Graphs:   w.graphs(),
		Call: func(ctx context.Context, entry configstore.Entry) error {
			_, err := client.Guidelines(localapi.Expecting(ctx, entry.APIVersion), entry.Graph(), entry.Token)
			return err
		},
		RescueFolder: rescueFolder(), ImportRescued: w.importRescued,
		Journal: journal, JournalFolder: w.historyFolder(),
		Private: w.private(), Program: doctor.Program{Path: machine.Program, Version: version()},
	}
	for _, profile := range mcpserve.Profiles() {
		ports.Profiles = append(ports.Profiles, profile.Name)
	}
	if open := openRoam(); open != nil && !w.sandbox {
		ports.OpenRoam = func(ctx context.Context) error { return open(ctx, localapi.Graph{}) }
	}
	if machineErr == nil {
		ports.Clients = doctor.MachineClients{Machine: machine, World: w.clientWorld}
	}
	activity := w.activity(log)
	ports.Servers = func(ctx context.Context) ([]doctor.Server, error) { return runningServers(ctx, activity) }
	return ports, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = journal.Close(ctx) // it was only read
		client.CloseIdleConnections()
	}
}

// runningServers lists the servers that live.
func runningServers(ctx context.Context, log *activity.Log) (running []doctor.Server, err error) {
	all, err := log.Servers(ctx)
	for _, s := range all {
		if !s.Alive {
			continue
		}
		found := doctor.Server{PID: s.PID, Version: s.Version, Address: s.Address, Profile: s.Profile, Graphs: s.Graphs, ReadOnly: s.ReadOnly}
		for _, client := range s.Clients {
			found.Clients = append(found.Clients, client.Name)
		}
		running = append(running, found)
	}
	return running, err
}

// importRescued takes the token of a file over, and removes the file.
func (w dirs) importRescued(ctx context.Context, file string) error {
	report, _, err := w.store().ImportFile(ctx, file, nil)
	switch {
	case err != nil:
		return err
	case len(report.Skipped) > 0:
		return errors.New(report.Skipped[0].Reason)
	}
	return os.Remove(file)
}

// checks returns the checks of this world, and what ends them.
func (w dirs) checks(ctx context.Context, log *slog.Logger, openGraphs bool) (checks []doctor.Check, done func()) {
	ports, done := w.doctorPorts(ctx, log)
	ports.CallClosed = openGraphs
	return doctor.Checks(ports), done
}

// private lists the folders and files of this world that are its user's alone.
func (w dirs) private() []doctor.Private {
	const rescue = "A granted token that can't be saved is kept there; without it, it may be lost."
	files := []doctor.Private{
		{Name: "History's folder", Path: w.historyFolder(), Folder: true, Why: "What agents write can't be recorded, so they can't change or delete."},
		{Name: "Rescue folder", Path: rescueFolder(), Folder: true, Why: rescue},
		{Name: "Reports' folder", Path: reportFolder(), Folder: true, Shared: true, Why: "What the setup program reports about a fault of its own can't be kept."},
		{Name: "HTTP token", Path: w.httpToken(), Why: "serve --http can't read its token."},
		{Name: "Configuration's folder", Path: filepath.Dir(w.config), Folder: true, Shared: true, Why: "No graph can be connected or changed."},
	}
	return files
}
