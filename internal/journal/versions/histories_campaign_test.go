//go:build campaign

package versions_test

const randomHistories, randomSteps = 150, 30
