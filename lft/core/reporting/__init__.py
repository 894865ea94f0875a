"""What every report needs: the look of figures, their layout, colours, and the folder that a report is written to."""
