"""The counting suite: how many events does a model report, and when? One module per step of the data flow."""
